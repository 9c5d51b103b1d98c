import { Lexer, type Token, Tokenizer, type Tokens } from 'marked'

/** So deep quotes and lists may lie in each other; what is deeper is text. */
const deepest = 6

/**
 * The markdown of messages: bold, italics, strike, code, quotes, lists and links. HTML, headings, tables, rules,
 * pictures, indented code and link definitions stay the text that they are.
 */
class MessageTokenizer extends Tokenizer {
  private depth = 0

  /** Only the lines that begin with ">": what is written below a quote is no part of it. */
  override blockquote(src: string): Tokens.Blockquote | undefined {
    const raw = /^(?: {0,3}>[^\n]*(?:\n|$))+/.exec(src)?.[0]
    if (!raw) return undefined
    const text = raw.replace(/^ {0,3}> ?/gm, '')
    return this.nested(() => ({ type: 'blockquote', raw, text, tokens: this.lexer.blockTokens(text, []) }))
  }
  override list(src: string): Tokens.List | undefined {
    return this.nested(() => super.list(src))
  }
  private nested<T>(make: () => T): T | undefined {
    if (this.depth >= deepest) return undefined
    this.depth += 1
    try {
      return make()
    } finally {
      this.depth -= 1
    }
  }
  override code(): undefined {}
  override heading(): undefined {}
  override lheading(): undefined {}
  override hr(): undefined {}
  override html(): undefined {}
  override tag(): undefined {}
  override table(): undefined {}
  override def(): undefined {}
  override reflink(): undefined {}
}

/** `<@ID>` and `<@!ID>`. */
function mention(src: string): Tokens.Generic | undefined {
  const match = /^<@!?(\d+)>/.exec(src)
  return match ? { type: 'mention', raw: match[0], id: match[1] } : undefined
}

/** The parts of a message's text. What the lexer cannot read is one part: text. */
export function parseMarkdown(content: string): Token[] {
  const extensions = { inline: [mention], renderers: {}, childTokens: {} }
  try {
    return new Lexer({ gfm: true, tokenizer: new MessageTokenizer(), extensions }).lex(content)
  } catch {
    return [{ type: 'text', raw: content, text: content }]
  }
}

const protocols = ['http:', 'https:', 'mailto:']

/** The address of a link that may be followed, else undefined. */
export function safeAddress(href: string): string | undefined {
  const url = URL.parse(href)
  return url && protocols.includes(url.protocol) ? url.href : undefined
}
