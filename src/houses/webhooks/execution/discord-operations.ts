import { bold, type Fields, fieldsOf, joinParts, linked, listOf, textOf } from './text-operations.ts'

/** A message in Discord's form as text: `content`, `embeds`, the links of `components`, and a `poll`. */
export function readDiscord(body: Fields): string {
  const content = textOf(body.content)
  const parts = [
    isQuiet(body) ? content.replaceAll('<@', '<\u200b@') : content,
    ...listOf(body.embeds).map(renderEmbed),
    joinParts(listOf(body.components).map(renderComponent), '\n'),
    renderPoll(fieldsOf(body.poll)),
  ]
  return joinParts(parts)
}

/** Whether the sender wants nobody to be notified. */
function isQuiet({ allowed_mentions }: Fields): boolean {
  const { parse, users } = fieldsOf(allowed_mentions)
  const names = (list: unknown) => Array.isArray(list) && list.length > 0
  return Array.isArray(parse) && !parse.includes('users') && !names(users)
}

function renderEmbed(embed: Fields): string {
  const [author, footer] = [fieldsOf(embed.author), fieldsOf(embed.footer)]
  const fields = listOf(embed.fields).map(({ name, value }) => {
    return joinParts([bold(textOf(name)), textOf(value)], ': ')
  })
  const media = [embed.image, embed.thumbnail, embed.video].map((each) => textOf(fieldsOf(each).url))
  return joinParts([
    linked(textOf(author.name), textOf(author.url)),
    linked(bold(textOf(embed.title)), textOf(embed.url)),
    textOf(embed.description),
    ...fields,
    ...media.filter((url) => !url.startsWith('attachment:')),
    joinParts([textOf(footer.text), textOf(embed.timestamp)], ' · '),
  ])
}

/** A row of buttons, a text, or what contains them. */
function renderComponent(component: Fields): string {
  const inside = listOf(component.components).map(renderComponent)
  const accessory = fieldsOf(component.accessory)
  const media = listOf(component.items).map(({ media, description }) => {
    return linked(textOf(description), textOf(fieldsOf(media).url))
  })
  const own = linked(textOf(component.label) || textOf(component.content), textOf(component.url))
  const separator = component.type === 1 ? ' · ' : '\n'
  return joinParts([own, joinParts(inside, separator), ...media, textOf(accessory.label)])
}

function renderPoll({ question, answers }: Fields): string {
  const options = listOf(answers).map(({ poll_media }) => `- ${textOf(fieldsOf(poll_media).text)}`)
  return joinParts([bold(textOf(fieldsOf(question).text)), ...options])
}
