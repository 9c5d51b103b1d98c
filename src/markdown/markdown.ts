import { parseBlocks } from './blocks.ts'
import { linesOf } from './lines.ts'
import { Steps, type Token, TooManySteps } from './tokens.ts'

/**
 * The parts of a message's text: bold, italics, strike, code, quotes, lists and links. HTML, headings, tables, rules,
 * pictures, indented code and link definitions stay the text that they are.
 */
export function parseMarkdown(content: string, steps = new Steps(content.length)): Token[] {
  try {
    return parseBlocks(linesOf(content), 0, steps)
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error
    return [{ type: 'text', raw: content }]
  }
}
