import { pathEnd } from '../../markdown/paths.ts'
import { mentionsIn, plainPlaces } from '../../markdown/references.ts'
import { unspaced, wordSign } from '../../markdown/scripts.ts'
import type { User } from '../state/state.ts'

/** A word that one has begun: a person, a room or an emoji. */
export type BegunWord = { trigger: '@' | '#' | ':'; query: string; start: number; end: number }

/** A name begins where its sign stands behind no word, and is no part of an address. */
const nameStart = `(?<!${wordSign}[_%+-]*)(?<![/=&?#@\\\\])`
const emojiStart = String.raw`(?<=^|[\s([{"'\u3000-\u303f\uff01-\uff65${unspaced}])`
const begun = new RegExp(`(?:${nameStart}([@#])|${emojiStart}(:))([\\p{L}\\p{N}_.+-]*)$`, 'u')
/** Emoji are looked for from so many characters on, so that ":)" stays what it is. */
const shortestEmojiName = 2

/** The word before the caret that can be completed: none in code or an address. */
export function begunWord(text: string, caret: number): BegunWord | undefined {
  const [, name, colon, query] = begun.exec(text.slice(0, caret)) ?? []
  const trigger = name ?? colon
  if (trigger === undefined || query === undefined) return undefined
  if (trigger === ':' && query.length < shortestEmojiName) return undefined
  const start = caret - query.length - 1
  if (!plainPlaces(text)(start)) return undefined
  return { trigger: trigger as BegunWord['trigger'], query, start, end: caret }
}

const ofUsername = new RegExp(`${nameStart}@([A-Za-z0-9_.-]+)(?!${wordSign})`, 'gu')

/** Puts ids in the place of the usernames after an @, as the server wants mentions; unknown ones stay text, as does code. */
export function withMentionIds(text: string, people: readonly Pick<User, 'id' | 'username'>[]): string {
  if (!text.includes('@')) return text
  const ids = new Map(people.map(({ id, username }) => [username.toLowerCase(), id]))
  const isPlain = plainPlaces(text)
  return text.replace(ofUsername, (whole, name: string, at: number) => {
    // What follows a name may be the end of the sentence, or of emphasis.
    for (const known of isPlain(at) ? [name, name.replace(/[._-]+$/, '')] : []) {
      const id = ids.get(known.toLowerCase())
      if (id !== undefined) return `<@${id}>${name.slice(known.length)}`
    }
    return whole
  })
}

/** Puts addresses in the place of the names of rooms after a #; of two rooms of one name the first is meant. */
export function withRoomAddresses(text: string, rooms: readonly { name: string; address: string }[]): string {
  if (rooms.length === 0 || !text.includes('#')) return text
  const addresses = new Map([...rooms].reverse().map(({ name, address }) => [name.toLowerCase(), address]))
  // The longest first: one name may begin with another.
  const names = [...addresses.keys()].sort((a, b) => b.length - a.length).map(escaped)
  const ofRoom = new RegExp(`${nameStart}#(${names.join('|')})(?![_-]*${wordSign})`, 'giu')
  const isPlain = plainPlaces(text)
  return text.replace(ofRoom, (whole, name: string, at: number) => {
    const address = isPlain(at) ? addresses.get(name.toLowerCase()) : undefined
    return address === undefined ? whole : address + gapAfter(address, text.slice(at + whole.length))
  })
}

/** The most characters of a text that are read to see whether they would belong to an address before them. */
const longestTail = 100

/** A space, if the path of a room would not end before what follows. */
function gapAfter(path: string, rest: string): string {
  return pathEnd(path + rest.slice(0, longestTail), 0) === path.length ? '' : ' '
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Puts usernames in the place of mentioned ids, as one reads and edits them. */
export function withUsernames(text: string, users: Record<string, Pick<User, 'username'>>): string {
  let named = text
  // From the end, so that the places of the others hold.
  for (const { start, end, id } of mentionsIn(text).reverse()) {
    const user = users[id]
    if (user) named = `${named.slice(0, start)}@${user.username}${named.slice(end)}`
  }
  return named
}
