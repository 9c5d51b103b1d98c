import { parseMarkdown, type Token } from '../../markdown/markdown.ts'
import type { Message } from '../state/state.ts'
import { t } from '../texts/texts.ts'
import { asRead } from './references.ts'

type Attached = Pick<Message, 'attachment'> | undefined
type Mentioned = Parameters<typeof asRead>[1]

/** A message in one line: its text without the marks of markdown, else the name of its file. */
export function lineOf(content: string, mentioned?: Mentioned, attached?: Attached): string {
  const { filename, content_type } = attached?.attachment ?? {}
  if (content !== '') return asRead(parseMarkdown(content).map(plain).join(' '), mentioned)
  if (filename === undefined) return t().file
  return content_type?.startsWith('image/') ? t().picture(filename) : filename
}

function plain(token: Token): string {
  switch (token.type) {
    case 'list':
      return token.items.map((item) => item.tokens.map(plain).join(' ')).join(' ')
    case 'blockquote':
      return token.tokens.map(plain).join(' ')
    case 'code':
    case 'codespan':
    case 'escape':
      return token.text
    case 'space':
      return ' '
    case 'mention':
      return token.raw
    case 'text':
      return token.tokens?.map(plain).join('') ?? token.raw
    default:
      return token.tokens.map(plain).join('')
  }
}
