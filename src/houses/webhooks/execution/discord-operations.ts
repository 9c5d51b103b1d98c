import {
  bold,
  type Fields,
  fieldsOf,
  isFields,
  joinParts,
  linked,
  listOf,
  renderEach,
  textOf,
  withoutMentions,
} from './text-operations.ts'

/**
 * A message in Discord's form as text: `content`, `embeds`, the links of `components`, and a `poll`. As there, `content`
 * and `components` mention whom `allowed_mentions` allows, and the rest nobody.
 */
export function readDiscord(body: Fields): string {
  const written = [textOf(body.content), joinParts(renderEach(listOf(body.components), renderComponent))]
  const allowed = allowedIds(body.allowed_mentions)
  const [content, components] = written.map((text) => (allowed ? withoutMentions(text, allowed) : text))
  const embeds = joinParts(renderEach(listOf(body.embeds), renderEmbed))
  const poll = renderPoll(fieldsOf(body.poll))
  return joinParts([content!, withoutMentions(embeds), components!, withoutMentions(poll)])
}

/** The users that may be mentioned; undefined: all. */
function allowedIds(allowed: unknown): ReadonlySet<unknown> | undefined {
  const { parse, users } = fieldsOf(allowed)
  if (!isFields(allowed) || (Array.isArray(parse) && parse.includes('users'))) return undefined
  return new Set(Array.isArray(users) ? users : [])
}

function renderEmbed(embed: Fields): string {
  const [author, footer] = [fieldsOf(embed.author), fieldsOf(embed.footer)]
  const fields = renderEach(listOf(embed.fields), ({ name, value }) => {
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
  const inside = renderEach(listOf(component.components), renderComponent)
  const accessory = fieldsOf(component.accessory)
  const media = renderEach(listOf(component.items), ({ media, description }) => {
    return linked(textOf(description), textOf(fieldsOf(media).url))
  })
  const own = linked(textOf(component.label) || textOf(component.content), textOf(component.url))
  const separator = component.type === 1 ? ' · ' : '\n'
  return joinParts([own, joinParts(inside, separator), ...media, textOf(accessory.label)])
}

function renderPoll({ question, answers }: Fields): string {
  const options = renderEach(listOf(answers), ({ poll_media }) => `- ${textOf(fieldsOf(poll_media).text)}`)
  return joinParts([bold(textOf(fieldsOf(question).text)), ...options])
}
