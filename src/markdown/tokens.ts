/** Where a part is in the text of a message; `end` is the place after it. */
export type Place = { start: number; end: number }

/**
 * A part of a message's text; `raw` is how it was written. A `literal` is shown as `text`, whatever signs it contains. The
 * place of a link is that of its address alone.
 */
export type Token =
  | { type: 'text'; raw: string; tokens?: Token[] }
  | { type: 'space'; raw: string }
  | { type: 'literal' | 'codespan'; raw: string; text: string; place: Place }
  | { type: 'code'; raw: string; text: string; lang: string; place: Place }
  | { type: 'paragraph' | 'blockquote'; raw: string; tokens: Token[] }
  | { type: 'strong' | 'em' | 'del'; tokens: Token[] }
  | { type: 'link'; raw: string; href: string; text: string; tokens: Token[]; place: Place }
  | { type: 'mention'; raw: string; id: string; place: Place }
  | { type: 'list'; raw: string; ordered: boolean; start: number; items: { tokens: Token[] }[] }

/**
 * Counts how often characters and marks are looked at. A text that takes more than `mostPerCharacter` steps for each of
 * its characters is shown without Markdown.
 */
export class Steps {
  static readonly mostPerCharacter = 40
  taken = 0
  readonly most: number

  constructor(length: number) {
    this.most = Steps.mostPerCharacter * (length + 10)
  }

  take(count = 1): void {
    this.taken += count
    if (this.taken > this.most) throw new TooManySteps()
  }
}

export class TooManySteps extends Error {}
