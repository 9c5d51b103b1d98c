import { parseBlocks } from './blocks.ts'
import { Steps, type Token, TooManySteps } from './tokens.ts'

export type { Token } from './tokens.ts'

/**
 * The parts of a message's text: bold, italics, strike, code, quotes, lists and links. HTML, headings, tables, rules,
 * pictures, indented code and link definitions stay the text that they are.
 */
export function parseMarkdown(content: string, steps = new Steps(content.length)): Token[] {
  try {
    return parseBlocks(content.replace(/\r\n?/g, '\n').split('\n'), 0, steps)
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error
    return [{ type: 'text', raw: content }]
  }
}

const protocols = ['http:', 'https:', 'mailto:']

/** The address of a link that may be followed, else undefined. */
export function safeAddress(href: string): string | undefined {
  const url = URL.parse(href)
  return url && protocols.includes(url.protocol) ? url.href : undefined
}
