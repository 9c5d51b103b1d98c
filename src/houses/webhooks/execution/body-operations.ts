import { ApiError, fieldsRequired } from '../../../errors.ts'
import { readDiscord } from './discord-operations.ts'
import { readGithub } from './github-operations.ts'
import { readGitlab } from './gitlab-operations.ts'
import { readAlerts, readJenkins, readSentry } from './monitoring-operations.ts'
import { readOther } from './other-operations.ts'
import { readSlack } from './slack-operations.ts'
import { isTeams, readTeams } from './teams-operations.ts'
import {
  bold,
  type Fields,
  isFields,
  joinParts,
  textOf,
  withEmojiBesideCode,
  withoutMentions,
} from './text-operations.ts'

export type Form =
  | 'own'
  | 'slack'
  | 'discord'
  | 'github'
  | 'gitlab'
  | 'alerts'
  | 'jenkins'
  | 'sentry'
  | 'teams'
  | 'other'

/** What besides the fields tells forms apart. */
export type Hints = {
  /** The header `X-GitHub-Event`. */
  event: string | undefined
  /** Whether the address has the parameter `wait`, or the body is multipart: only Discord's clients do that. */
  isDiscord: boolean
  /** The service that the address names. */
  service: 'slack' | 'github' | undefined
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
/** Fields of the form of Hearth, which say nothing by themselves. */
const ownFields = ['nonce', 'username']

/** The form that a body has (docs/api.md#webhooks). */
export function formOf(body: Fields, { event, isDiscord, service }: Hints): Form {
  const has = (name: string) => Object.hasOwn(body, name)
  if (event !== undefined || service === 'github') return 'github'
  if (service === 'slack') return 'slack'
  if (has('object_kind')) return 'gitlab'
  if (Array.isArray(body.alerts) || has('ruleUrl') || has('evalMatches')) return 'alerts'
  if (isTeams(body)) return 'teams'
  if (discordFields.some(has)) return 'discord'
  if (has('content')) return isDiscord || sharedFields.some(has) ? 'discord' : 'own'
  if (slackFields.some(has)) return 'slack'
  if (isDiscord) return 'discord'
  if (isFields(body.build) && has('name')) return 'jenkins'
  if (isSentry(body)) return 'sentry'
  // Sooner than by a list of all names, of which there may be many.
  for (const name in body) if (!ownFields.includes(name)) return 'other'
  return 'own'
}

function isSentry({ data, actor, action, project_name, culprit }: Fields): boolean {
  if (isFields(data)) return action !== undefined && isFields(actor)
  return project_name !== undefined && culprit !== undefined
}

/** The fields whose contents are looked at whatever they are, and the most values in them. */
const shownFields = ['blocks', 'attachments', 'embeds', 'components', 'poll', 'allowed_mentions']
const maxShownValues = 5_000

const readers: Record<Exclude<Form, 'own'>, (body: Fields, event: string) => string> = {
  github: (body, event) => readGithub(event, body),
  gitlab: readGitlab,
  alerts: readAlerts,
  jenkins: readJenkins,
  sentry: readSentry,
  teams: readTeams,
  slack: (body) => withName(body, withEmojiBesideCode(readSlack(body))),
  discord: (body) => withName(body, withEmojiBesideCode(readDiscord(body))),
  other: readOther,
}

/** A message of another service as the content of one of ours, of any length. Throws `invalid_schema`, `payload_too_large`. */
export function readForeign(form: Exclude<Form, 'own'>, body: Fields, event = ''): string {
  if (form === 'slack' || form === 'discord') {
    const shown = shownFields.map((name) => body[name])
    if (countValues(shown, maxShownValues) > maxShownValues) throw new ApiError('payload_too_large')
  }
  const text = readers[form](body, event).trim()
  if (text === '') throw fieldsRequired(form === 'slack' ? 'text' : 'content')
  return text
}

/** How many values an object contains, those of its objects and lists included; where there are more than `most`, some of them. */
function countValues(value: object, most: number): number {
  const values = Object.values(value)
  let count = values.length
  for (const each of values) {
    if (count > most) break
    if (typeof each === 'object' && each !== null) count += countValues(each, most - count)
  }
  return count
}

/** The message has one author, the webhook: the name that a sender chooses is written in front. */
function withName({ username }: Fields, text: string): string {
  return text.trim() === '' ? '' : joinParts([withoutMentions(bold(textOf(username))), text.trim()])
}
