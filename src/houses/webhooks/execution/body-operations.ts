import { fieldsRequired } from '../../../errors.ts'
import { readDiscord } from './discord-operations.ts'
import { readGithub } from './github-operations.ts'
import { readSlack } from './slack-operations.ts'
import { bold, type Fields, joinParts, textOf, withoutMentions } from './text-operations.ts'

export type Form = 'own' | 'slack' | 'discord' | 'github'

/** What besides the fields tells forms apart. */
type Hints = {
  /** The header `X-GitHub-Event`. */
  event: string | undefined
  /** Whether the address has the parameter `wait`, or the body is multipart: only Discord's clients do that. */
  isDiscord: boolean
}

const discordFields = [
  'embeds',
  'components',
  'poll',
  'avatar_url',
  'tts',
  'allowed_mentions',
  'flags',
  'thread_name',
]
/** Fields that Slack's form has as well: with `content` they are Discord's. */
const sharedFields = ['username', 'attachments']
const slackFields = ['text', 'blocks', 'attachments']

/** The form that a body has (docs/api.md#webhooks). */
export function formOf(body: Fields, { event, isDiscord }: Hints): Form {
  const has = (name: string) => Object.hasOwn(body, name)
  if (event !== undefined) return 'github'
  if (discordFields.some(has)) return 'discord'
  if (has('content')) return isDiscord || sharedFields.some(has) ? 'discord' : 'own'
  if (slackFields.some(has)) return 'slack'
  return isDiscord ? 'discord' : 'own'
}

/** A message of another service as the content of one of ours, of any length. Throws `invalid_schema`. */
export function readForeign(form: Exclude<Form, 'own'>, body: Fields, event = ''): string {
  if (form === 'github') return readGithub(event, body)
  const text = (form === 'slack' ? readSlack(body) : readDiscord(body)).trim()
  if (text === '') throw fieldsRequired(form === 'slack' ? 'text' : 'content')
  // The message has one author, the webhook: the name that a sender chooses is written in front.
  return joinParts([withoutMentions(bold(textOf(body.username))), text])
}
