import {
  bold,
  escaped,
  excerpt,
  type Fields,
  fieldsOf,
  joinParts,
  linked,
  listOf,
  namedLink,
  quoted,
  textOf,
  withoutMentions,
} from './text-operations.ts'

/** Commits that a push lists; the address of the comparison shows all. */
const maxCommits = 10
/** Code points of a description or comment. */
const maxExcerpt = 1_000

/**
 * An event of GitHub (the header `X-GitHub-Event`) as text. An event without a rendering of its own says who did what
 * where. What people have written on GitHub mentions nobody here.
 */
export function readGithub(event: string, body: Fields): string {
  const render = Object.hasOwn(renderings, event) ? renderings[event]! : renderSubject
  return withoutMentions(render(body, event))
}

type Rendering = (body: Fields, event: string) => string

const renderings: Record<string, Rendering> = {
  ping: (body) =>
    joinParts([`GitHub has connected this webhook to ${placeOf(body)}.`, textOf(body.zen)], ' '),
  push: renderPush,
  create: (body) => renderRef(body, 'created'),
  delete: (body) => renderRef(body, 'deleted'),
  fork(body) {
    const { full_name, html_url } = fieldsOf(body.forkee)
    return `${actorOf(body)} forked ${placeOf(body)} to ${linked(textOf(full_name), textOf(html_url))}`
  },
  star: (body) => `${actorOf(body)} ${body.action === 'deleted' ? 'unstarred' : 'starred'} ${placeOf(body)}`,
  watch: (body) => `${actorOf(body)} starred ${placeOf(body)}`,
  public: (body) => `${actorOf(body)} made ${placeOf(body)} public`,
  status(body) {
    const state = `${bold(textOf(body.context))} is ${textOf(body.state)} for \`${shortSha(body.sha)}\``
    return joinParts([
      linked(`${state} in ${placeOf(body)}`, textOf(body.target_url)),
      textOf(body.description),
    ])
  },
  gollum(body) {
    const pages = listOf(body.pages).map(({ action, title, html_url }) => {
      return `- ${textOf(action)} ${linked(textOf(title), textOf(html_url))}`
    })
    return joinParts([`${actorOf(body)} edited the wiki of ${placeOf(body)}`, ...pages])
  },
}

function actorOf({ sender, pusher }: Fields): string {
  return bold(textOf(fieldsOf(sender).login) || textOf(fieldsOf(pusher).name) || 'GitHub')
}

function placeOf({ repository, organization }: Fields): string {
  return textOf(fieldsOf(repository).full_name) || textOf(fieldsOf(organization).login) || 'GitHub'
}

function shortSha(value: unknown): string {
  return [...textOf(value)].slice(0, 7).join('')
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!
}

function nameOfRef(ref: string): string {
  const [, kind, name] = /^refs\/(heads|tags)\/(.*)$/.exec(ref) ?? [undefined, 'heads', ref]
  return `${kind === 'tags' ? 'tag' : 'branch'} \`${name}\``
}

function renderPush(body: Fields): string {
  const branch = `${nameOfRef(textOf(body.ref))} of ${placeOf(body)}`
  if (body.deleted === true) return `${actorOf(body)} deleted ${branch}`
  const commits = listOf(body.commits)
  const verb = body.forced === true ? 'force-pushed' : 'pushed'
  const count = `${commits.length} commit${commits.length === 1 ? '' : 's'}`
  const lines = commits.slice(0, maxCommits).map(({ id, message, author, url }) => {
    const by = textOf(fieldsOf(author).username) || textOf(fieldsOf(author).name)
    const commit = namedLink(`\`${shortSha(id)}\``, textOf(url))
    // Git knows no Markdown.
    return `- ${commit} ${joinParts([escaped(firstLine(textOf(message))), escaped(by)], ' — ')}`
  })
  const more = commits.length - maxCommits
  return joinParts([
    linked(`${actorOf(body)} ${verb} ${count} to ${branch}`, textOf(body.compare)),
    ...lines,
    more > 0 ? `- and ${more} more` : '',
  ])
}

function renderRef(body: Fields, verb: string): string {
  const ref = `${textOf(body.ref_type)} \`${textOf(body.ref)}\``
  return `${actorOf(body)} ${verb} ${ref} in ${placeOf(body)}`
}

/** What events are about, by the field that contains it; the first that is there. */
const subjects = [
  'pull_request',
  'issue',
  'discussion',
  'release',
  'workflow_run',
  'workflow_job',
  'check_run',
  'check_suite',
  'deployment',
  'milestone',
  'alert',
  'package',
  'member',
  'label',
] as const

/** Actions with which something new comes, whose description is worth reading. */
const opening = new Set(['opened', 'created', 'published', 'submitted', 'edited', 'answered'])

function renderSubject(body: Fields, event: string): string {
  const kind = subjects.find((name) => name in body)
  const subject = fieldsOf(kind && body[kind])
  const remark = fieldsOf(body.comment ?? body.review)
  const action = textOf(body.action)
  const url =
    textOf(remark.html_url) || textOf(subject.html_url) || textOf(fieldsOf(body.repository).html_url)
  const written = textOf(remark.body) || (body.comment === undefined ? textOf(subject.body) : '')
  const what = joinParts([(kind ?? event).replaceAll('_', ' '), titleOf(subject)], ' ')
  return joinParts([
    linked(`${actorOf(body)} ${verbOf(event, action, body)} ${what} in ${placeOf(body)}`, url),
    outcomeOf(subject, fieldsOf(body.deployment_status), fieldsOf(body.review)),
    opening.has(action) ? quoted(excerpt(written, maxExcerpt)) : '',
  ])
}

function verbOf(event: string, action: string, body: Fields): string {
  if (event === 'pull_request' && action === 'closed' && fieldsOf(body.pull_request).merged === true)
    return 'merged'
  const isRemark = event.endsWith('_comment')
  if (isRemark && action === 'created') return 'commented on'
  if (event === 'pull_request_review' && action === 'submitted') return 'reviewed'
  const done = action.replaceAll('_', ' ') || 'sent'
  return isRemark ? `${done} a comment on` : done
}

function titleOf(subject: Fields): string {
  const number = textOf(subject.number)
  const candidates = [subject.title, subject.display_title, subject.name, subject.tag_name, subject.login]
  const name = candidates.map(textOf).find((text) => text !== '') ?? textOf(subject.environment)
  return joinParts([number && `#${number}`, bold(firstLine(name))], ' ')
}

/** How a run, a deployment or a review came out. */
function outcomeOf(subject: Fields, deployment: Fields, review: Fields): string {
  const state = subject.conclusion ?? deployment.state ?? review.state ?? subject.status
  const name = textOf(state).replaceAll('_', ' ')
  const branch = textOf(subject.head_branch)
  return name === '' ? '' : `Result: ${joinParts([name, branch && `on \`${branch}\``], ' ')}`
}
