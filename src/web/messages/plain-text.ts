import { parseMarkdown } from '../../markdown/markdown.ts'
import type { Token } from '../../markdown/tokens.ts'
import type { Message } from '../state/state.ts'
import { t } from '../texts/texts.ts'
import { asRead } from './references.ts'

type Attached = Pick<Message, 'attachment'> | undefined
type Mentioned = Parameters<typeof asRead>[1]

/** A message in one line: its text without the marks of markdown, else the name of its file. */
export function lineOf(content: string, mentioned?: Mentioned, attached?: Attached): string {
  const { filename, content_type } = attached?.attachment ?? {}
  if (content !== '') {
    const read = (text: string) => asRead(text, mentioned)
    return parseMarkdown(content)
      .map((token) => plain(token, read))
      .join(' ')
  }
  if (filename === undefined) return t().file
  return content_type?.startsWith('image/') ? t().picture(filename) : filename
}

/** The visible text of some tokens, without marks. */
export function visibleText(tokens: readonly Token[]): string {
  return tokens.map((token) => plain(token, (text) => text)).join('')
}

/** The text of a token; `read` puts names in the place of a mention or an address. */
function plain(token: Token, read: (text: string) => string): string {
  const all = (tokens: readonly Token[], separator = '') => {
    return tokens.map((each) => plain(each, read)).join(separator)
  }
  switch (token.type) {
    case 'list':
      return token.items.map((item) => all(item.tokens, ' ')).join(' ')
    case 'blockquote':
      return all(token.tokens, ' ')
    case 'code':
    case 'codespan':
    case 'literal':
      return token.text
    case 'space':
      return ' '
    case 'mention':
      return read(token.raw)
    case 'link':
      return token.raw === token.text ? read(token.raw) : all(token.tokens)
    case 'text':
      return token.tokens ? all(token.tokens) : token.raw
    default:
      return all(token.tokens)
  }
}
