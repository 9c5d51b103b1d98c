import {
  bold,
  type Fields,
  fieldsOf,
  joinParts,
  linked,
  listOf,
  namedLink,
  plainLine,
  plainText,
  renderEach,
  textOf,
  urlOf,
  withoutMentions,
} from './text-operations.ts'

const cardType = 'application/vnd.microsoft.card'
/** How deep the parts of a card may lie in one another. */
const maxDepth = 6

/** Whether a body is a card for Microsoft Teams: a MessageCard, or a message with adaptive or other cards. */
export function isTeams(body: Fields): boolean {
  return textOf(body['@type']).endsWith('Card') || cardsOf(body).length > 0
}

/** A card for Microsoft Teams as text. */
export function readTeams(body: Fields): string {
  const cards = renderEach(cardsOf(body), ({ content }) => renderElement(fieldsOf(content), 0))
  return withoutMentions(joinParts([renderMessageCard(body), ...cards]))
}

function cardsOf(body: Fields): Fields[] {
  return listOf(body.attachments).filter(({ contentType }) => textOf(contentType).startsWith(cardType))
}

function renderMessageCard({ title, summary, text, sections, potentialAction }: Fields): string {
  const heading = plainLine(title) || (textOf(text) === '' ? plainLine(summary) : '')
  const parts = renderEach(listOf(sections), ({ activityTitle, title, activitySubtitle, text, facts }) => {
    return joinParts([
      bold(plainLine(activityTitle) || plainLine(title)),
      plainLine(activitySubtitle),
      plainText(text),
      ...renderFacts(facts, 'name'),
    ])
  })
  const links = renderEach(listOf(potentialAction), ({ name, targets }) => {
    const url = listOf(targets).map(({ uri }) => urlOf(uri))[0] ?? ''
    return url && namedLink(plainLine(name), url)
  })
  return joinParts([bold(heading), plainText(text), ...parts, ...links])
}

/** An adaptive card, or a part of one, with the parts in it. */
function renderElement(element: Fields, depth: number): string {
  if (depth > maxDepth) return ''
  const { type, text, title, subtitle, facts, url } = element
  const own = type === 'TextBlock' && element.weight === 'Bolder' ? bold(plainLine(text)) : plainText(text)
  const inner = ['body', 'items', 'columns', 'inlines', 'actions', 'buttons'].flatMap((name) => {
    return renderEach(listOf(element[name]), (each) => renderElement(each, depth + 1))
  })
  const address = urlOf(url) || urlOf(element.value)
  return joinParts([
    linked(address ? plainLine(title) : bold(plainLine(title)), address),
    plainLine(subtitle),
    own,
    ...renderFacts(facts, 'title'),
    ...inner,
  ])
}

function renderFacts(facts: unknown, nameKey: 'name' | 'title'): string[] {
  return renderEach(listOf(facts), (fact) => {
    return `- ${joinParts([plainLine(fact[nameKey]).replace(/:$/, ''), plainLine(fact.value)], ': ')}`
  })
}
