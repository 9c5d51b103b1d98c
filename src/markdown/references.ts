import { parseMarkdown } from './markdown.ts'
import type { Place, Token } from './tokens.ts'

export type Mention = Place & { id: string }

/** Signs of code, escapes and addresses: without them, each mention counts. */
const others = /[`~\\]|:\/\/|www\.|\]\(/i
const mention = /<@!?(\d{1,19})>/g

/** The mentions of users in a message's text, in order (docs/resources.md#messages). */
export function mentionsIn(content: string): Mention[] {
  if (!others.test(content)) {
    return Array.from(content.matchAll(mention), ({ 0: { length }, 1: id, index }) => {
      return { start: index, end: index + length, id: id! }
    })
  }
  if (!content.includes('<@')) return []
  return partsOf(parseMarkdown(content)).flatMap((part) => {
    return part.type === 'mention' ? [{ ...part.place, id: part.id }] : []
  })
}

/** Where a text has addresses that stand for themselves, in order. */
export function addressesIn(content: string): Place[] {
  if (!content.includes('/')) return []
  return partsOf(parseMarkdown(content)).flatMap((part) => {
    return part.type === 'link' && part.text === part.raw ? [part.place] : []
  })
}

/** Says of a place in a text whether a sign there is text, and none of code, an address, a mention or an escaped sign. */
export function plainPlaces(content: string): (at: number) => boolean {
  const isOther = new Uint8Array(content.length)
  for (const { place } of partsOf(parseMarkdown(content))) isOther.fill(1, place.start, place.end)
  return (at) => isOther[at] === 0
}

/** The marks of a block of code that a text begins and does not end. */
export function openFence(content: string): string | undefined {
  const last = parseMarkdown(`${content}\n\nx`).at(-1)
  return last?.type === 'code' ? /`{3,}|~{3,}/.exec(last.raw)?.[0] : undefined
}

type Part = Extract<Token, { place: Place }>

/** What is no plain text, in order. */
function partsOf(tokens: readonly Token[]): Part[] {
  return tokens.flatMap((token) => {
    if (token.type === 'list') return token.items.flatMap((item) => partsOf(item.tokens))
    const inside = 'tokens' in token ? partsOf(token.tokens ?? []) : []
    return 'place' in token ? [...inside, token] : inside
  })
}
