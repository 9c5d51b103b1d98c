import {
  bold,
  type Fields,
  fieldsOf,
  isFields,
  joinParts,
  linked,
  listOf,
  textOf,
  withoutMentions,
} from './text-operations.ts'

/**
 * A message in Discord's form as text: `content`, `embeds`, the links of `components`, and a `poll`. As there, `content`
 * and `components` mention whom `allowed_mentions` allows, and the rest nobody.
 */
export function readDiscord(body: Fields): string {
  const written = [textOf(body.content), joinParts(listOf(body.components).map(renderComponent), '\n')]
  const [content, components] = written.map((text) => withAllowedMentions(text, body.allowed_mentions))
  const embeds = joinParts(listOf(body.embeds).map(renderEmbed))
  const poll = renderPoll(fieldsOf(body.poll))
  return joinParts([content!, withoutMentions(embeds), components!, withoutMentions(poll)])
}

function withAllowedMentions(text: string, allowed: unknown): string {
  const { parse, users } = fieldsOf(allowed)
  if (!isFields(allowed) || (Array.isArray(parse) && parse.includes('users'))) return text
  return withoutMentions(text, Array.isArray(users) ? users : [])
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
