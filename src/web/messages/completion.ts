import type { User } from '../state/state.ts'

/** A word that one has begun: a person, a room or an emoji. */
export type BegunWord = { trigger: '@' | '#' | ':'; query: string; start: number; end: number }

const begun = /(?:^|[\s(])([@#:])([\p{L}\p{N}_.+-]*)$/u
/** Emoji are looked for from so many characters on, so that ":)" stays what it is. */
const shortestEmojiName = 2

/** The word before the caret that can be completed. */
export function begunWord(text: string, caret: number): BegunWord | undefined {
  const [, trigger, query] = begun.exec(text.slice(0, caret)) ?? []
  if (trigger === undefined || query === undefined) return undefined
  if (trigger === ':' && query.length < shortestEmojiName) return undefined
  return { trigger: trigger as BegunWord['trigger'], query, start: caret - query.length - 1, end: caret }
}

const ofUsername = /(^|[\s(])@([\p{L}\p{N}_.-]+)/gu

/** Puts ids in the place of the usernames after an @, as the server wants mentions; unknown ones stay text. */
export function withMentionIds(text: string, people: readonly Pick<User, 'id' | 'username'>[]): string {
  const ids = new Map(people.map(({ id, username }) => [username.toLowerCase(), id]))
  return text.replace(ofUsername, (whole, before: string, name: string) => {
    // A full stop may end the name or the sentence.
    for (const known of [name, name.replace(/[.-]+$/, '')]) {
      const id = ids.get(known.toLowerCase())
      if (id !== undefined) return `${before}<@${id}>${name.slice(known.length)}`
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
  const ofRoom = new RegExp(`(?<=^|[\\s(])#(${names.join('|')})(?![\\p{L}\\p{N}_-])`, 'giu')
  return text.replace(ofRoom, (whole, name: string) => addresses.get(name.toLowerCase()) ?? whole)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

const codeParts = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/

/** Changes a text, but for the code in it. */
export function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(codeParts)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
}

/** Puts usernames in the place of ids, as one reads and edits them. */
export function withUsernames(text: string, users: Record<string, Pick<User, 'username'>>): string {
  return text.replace(/<@!?(\d+)>/g, (whole, id: string) => {
    const user = users[id]
    return user ? `@${user.username}` : whole
  })
}
