import {
  bold,
  escaped,
  type Fields,
  fieldsOf,
  joinParts,
  linked,
  listOf,
  quoted,
  renderEach,
  textOf,
  untrimmedTextOf,
  withoutMentions,
} from './text-operations.ts'

/** A message in Slack's form as text: `text`, `blocks` and `attachments`. */
export function readSlack(body: Fields): string {
  const text = mrkdwn(body.text)
  const blocks = renderBlocks(body.blocks)
  const attachments = renderEach(listOf(body.attachments), renderAttachment)
  // With blocks, the text is the fallback for notifications, and mostly says the same. Its beginning tells.
  const isRepeated = blocks !== '' && unmarked(blocks).includes(unmarked(text.slice(0, comparedLength)))
  const parts = isRepeated ? [blocks] : [text, blocks]
  return joinParts([...parts, ...attachments])
}

const comparedLength = 1_000

function unmarked(text: string): string {
  return text.replace(/[*_~`\\]/g, '')
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** Slack's markup as Markdown. What it escapes is only text, and mentions nobody. */
function mrkdwn(value: unknown): string {
  return textOf(value)
    .replaceAll('&lt;@', '&lt;\u200b@')
    .replace(/<([^<>\n]+)>/g, (_, inside: string) => reference(inside))
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^*\s])\*(?![\w*])/g, '**$1**')
    .replace(/(?<![\w~])~(?=[^\s~])([^~\n]*[^~\s])~(?![\w~])/g, '~~$1~~')
    .replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity]!)
}

/** What stands between `<` and `>`: a link, a channel, a group, a user of Slack, or a mention of this server. */
function reference(inside: string): string {
  if (/^@!?[0-9]+$/.test(inside)) return `<${inside}>`
  const [target = '', label = ''] = inside.split('|', 2)
  if (target.startsWith('#')) return `#${label || target.slice(1)}`
  if (target.startsWith('@')) return `@${(label || target.slice(1)).replace(/^@/, '')}`
  if (target.startsWith('!date')) return label
  if (target.startsWith('!'))
    return `@${(label || target.slice(1)).replace(/^@/, '').replace(/^subteam\^/, '')}`
  return linked(label, target)
}

/** A text object of a block: plain text or markup. */
function textObject(value: unknown): string {
  const { type, text } = fieldsOf(value)
  return type === 'plain_text' ? plain(text) : mrkdwn(text)
}

/** Text that Slack shows letter for letter. */
function plain(value: unknown): string {
  return withoutMentions(escaped(textOf(value)))
}

function renderBlocks(value: unknown): string {
  return joinParts(renderEach(listOf(value), renderBlock))
}

function renderBlock(block: Fields): string {
  switch (block.type) {
    case 'header':
      return bold(textObject(block.text))
    case 'divider':
      return '──────────'
    case 'markdown':
      return textOf(block.text)
    case 'image':
    case 'video': {
      const url = textOf(block.image_url) || textOf(block.video_url) || textOf(fieldsOf(block.slack_file).url)
      return linked(textObject(block.title) || textOf(block.alt_text), url)
    }
    case 'context':
      return joinParts(renderEach(listOf(block.elements), renderElement), ' ')
    case 'rich_text':
      return joinParts(renderEach(listOf(block.elements), renderRichText))
    default: {
      const fields = renderEach(listOf(block.fields), textObject)
      const elements = renderEach(listOf(block.elements), renderElement)
      const parts = [textObject(block.text), ...fields, renderElement(fieldsOf(block.accessory))]
      return joinParts([...parts, joinParts(elements, ' · ')])
    }
  }
}

/** A button, a picture, a menu or a text among other elements. */
function renderElement(element: Fields): string {
  const label = typeof element.text === 'string' ? mrkdwn(element.text) : textObject(element.text)
  const shown = label || textOf(element.alt_text) || textObject(element.placeholder)
  return linked(shown, textOf(element.url) || textOf(element.image_url))
}

function renderRichText(part: Fields): string {
  const inside = listOf(part.elements)
  if (part.type === 'rich_text_list') {
    const mark = (index: number) => (part.style === 'ordered' ? `${index + 1}. ` : '- ')
    return joinParts(renderEach(inside, (item, index) => mark(index) + renderRichText(item)))
  }
  // One may end in the middle of what would be a mention.
  const text = withoutMentions(renderEach(inside, renderInline).join(''))
  if (part.type === 'rich_text_quote') return quoted(text)
  return part.type === 'rich_text_preformatted' ? `\`\`\`\n${text}\n\`\`\`` : text
}

function renderInline({ type, style, ...inline }: Fields): string {
  if (type === 'text') return styled(untrimmedTextOf(inline.text), fieldsOf(style))
  if (type === 'link') return linked(textOf(inline.text), textOf(inline.url))
  if (type === 'emoji') return emojiOf(inline)
  if (type === 'broadcast') return `@${textOf(inline.range)}`
  if (type === 'channel') return `#${textOf(inline.channel_id)}`
  const named = textOf(inline.user_id) || textOf(inline.usergroup_id)
  return named === '' ? textOf(inline.text) || textOf(inline.value) : `@${named}`
}

/** Marks stand around the words, as white space inside them would undo them. */
function styled(text: string, style: Fields): string {
  const mark = style.code ? '`' : style.bold ? '**' : style.italic ? '_' : style.strike ? '~~' : ''
  const words = text.trim()
  return words === '' ? text : text.replace(words, () => `${mark}${words}${mark}`)
}

function emojiOf({ name, unicode }: Fields): string {
  const points = textOf(unicode)
    .split('-')
    .map((point) => Number.parseInt(point, 16))
  const isUnicode = points.every((point) => point > 0 && point <= 0x10ffff)
  return isUnicode ? String.fromCodePoint(...points).toWellFormed() : `:${textOf(name)}:`
}

function renderAttachment(attachment: Fields): string {
  const fields = renderEach(listOf(attachment.fields), ({ title, value }) => {
    return joinParts([bold(plain(title)), mrkdwn(value)], ': ')
  })
  const actions = renderEach(listOf(attachment.actions), renderElement)
  const written = joinParts([
    mrkdwn(attachment.pretext),
    linked(plain(attachment.author_name), textOf(attachment.author_link)),
    linked(bold(mrkdwn(attachment.title)), textOf(attachment.title_link)),
    mrkdwn(attachment.text),
    ...fields,
    renderBlocks(attachment.blocks),
    textOf(attachment.image_url) || textOf(attachment.thumb_url),
    joinParts(actions, ' · '),
    plain(attachment.footer),
  ])
  return written || mrkdwn(attachment.fallback)
}
