import {
  bold,
  code,
  excerpt,
  type Fields,
  fieldsOf,
  joinParts,
  linked,
  listOf,
  namedLink,
  plainLine,
  quoted,
  renderEach,
  textOf,
  urlOf,
  withEmoji,
  withoutMentions,
} from './text-operations.ts'

/** Commits that a push lists; the address of the comparison shows all. */
const maxCommits = 10
/** Code points of a description or comment. */
const maxExcerpt = 1_000

/**
 * An event of GitHub (the header `X-GitHub-Event`) as text. An event without a rendering of its own says who did what
 * where. What people have written on GitHub mentions nobody here. `''` for a body that is no such event.
 */
export function readGithub(event: string, body: Fields): string {
  if (!parts.some((name) => name in body)) return ''
  const render = Object.hasOwn(renderings, event) ? renderings[event]! : renderSubject
  return withoutMentions(render(body, event))
}

/** Fields of which every event has at least one. */
const parts = ['sender', 'repository', 'organization', 'pusher', 'zen', 'sha']

type Rendering = (body: Fields, event: string) => string

const renderings: Record<string, Rendering> = {
  ping: (body) =>
    joinParts([`GitHub has connected this webhook to ${placeOf(body)}.`, plainLine(body.zen)], ' '),
  push: renderPush,
  create: (body) => renderRef(body, 'created'),
  delete: (body) => renderRef(body, 'deleted'),
  fork(body) {
    const { full_name, html_url } = fieldsOf(body.forkee)
    return `${actorOf(body)} forked ${placeOf(body)} to ${linked(plainLine(full_name), urlOf(html_url))}`
  },
  star: (body) => `${actorOf(body)} ${body.action === 'deleted' ? 'unstarred' : 'starred'} ${placeOf(body)}`,
  watch: (body) => `${actorOf(body)} starred ${placeOf(body)}`,
  public: (body) => `${actorOf(body)} made ${placeOf(body)} public`,
  status(body) {
    const state = `${bold(plainLine(body.context))} is ${plainLine(body.state)} for ${shortSha(body.sha)}`
    return joinParts([
      linked(`${state} in ${placeOf(body)}`, urlOf(body.target_url)),
      plainLine(body.description),
    ])
  },
  gollum(body) {
    const pages = renderEach(listOf(body.pages), ({ action, title, html_url }) => {
      return `- ${plainLine(action)} ${linked(plainLine(title), urlOf(html_url))}`
    })
    return joinParts([`${actorOf(body)} edited the wiki of ${placeOf(body)}`, ...pages])
  },
}

function actorOf({ sender, pusher }: Fields): string {
  return bold(plainLine(fieldsOf(sender).login) || plainLine(fieldsOf(pusher).name) || 'GitHub')
}

function placeOf({ repository, organization }: Fields): string {
  return plainLine(fieldsOf(repository).full_name) || plainLine(fieldsOf(organization).login) || 'GitHub'
}

function shortSha(value: unknown): string {
  return code([...textOf(value)].slice(0, 7).join(''))
}

function nameOfRef(ref: string): string {
  const [, kind, name] = /^refs\/(heads|tags)\/(.*)$/.exec(ref) ?? [undefined, 'heads', ref]
  return `${kind === 'tags' ? 'tag' : 'branch'} ${code(name)}`
}

function renderPush(body: Fields): string {
  const branch = `${nameOfRef(textOf(body.ref))} of ${placeOf(body)}`
  if (body.deleted === true) return `${actorOf(body)} deleted ${branch}`
  const commits = listOf(body.commits)
  if (body.created === true && commits.length === 0) {
    return linked(`${actorOf(body)} created ${branch}`, urlOf(body.compare))
  }
  const verb = body.forced === true ? 'force-pushed' : 'pushed'
  const count = `${commits.length} commit${commits.length === 1 ? '' : 's'}`
  const lines = commits.slice(0, maxCommits).map(({ id, message, author, url }) => {
    const by = plainLine(fieldsOf(author).username) || plainLine(fieldsOf(author).name)
    return `- ${namedLink(shortSha(id), urlOf(url))} ${joinParts([plainLine(message), by], ' — ')}`
  })
  const more = commits.length - maxCommits
  return joinParts([
    linked(`${actorOf(body)} ${verb} ${count} to ${branch}`, urlOf(body.compare)),
    ...lines,
    more > 0 ? `- and ${more} more` : '',
  ])
}

function renderRef(body: Fields, verb: string): string {
  const ref = `${plainLine(body.ref_type)} ${code(body.ref)}`
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
  const url = urlOf(remark.html_url) || urlOf(subject.html_url) || textOf(fieldsOf(body.repository).html_url)
  const written = textOf(remark.body) || (body.comment === undefined ? textOf(subject.body) : '')
  const what = joinParts([nameOf(kind ?? event), titleOf(subject)], ' ')
  return joinParts([
    linked(joinParts([actorOf(body), verbOf(event, action, body), what, `in ${placeOf(body)}`], ' '), url),
    outcomeOf(subject, fieldsOf(body.deployment_status), fieldsOf(body.review)),
    opening.has(action) ? quoted(excerpt(withEmoji(written), maxExcerpt)) : '',
  ])
}

function verbOf(event: string, action: string, body: Fields): string {
  if (event === 'pull_request' && action === 'closed' && fieldsOf(body.pull_request).merged === true)
    return 'merged'
  const isRemark = event.endsWith('_comment')
  if (isRemark && action === 'created') return 'commented on'
  if (event === 'pull_request_review' && action === 'submitted') return 'reviewed'
  const done = nameOf(body.action) || 'sent'
  return isRemark ? `${done} a comment on` : done
}

function titleOf(subject: Fields): string {
  const number = plainLine(subject.number)
  const candidates = [subject.title, subject.display_title, subject.name, subject.tag_name, subject.login]
  const name = candidates.map(plainLine).find((text) => text !== '') ?? plainLine(subject.environment)
  return joinParts([number && `#${number}`, bold(name)], ' ')
}

/** How a run, a deployment or a review came out. */
function outcomeOf(subject: Fields, deployment: Fields, review: Fields): string {
  const state = subject.conclusion ?? deployment.state ?? review.state ?? subject.status
  const branch = code(subject.head_branch)
  return state ? `Result: ${joinParts([nameOf(state), branch && `on ${branch}`], ' ')}` : ''
}

/** A name of GitHub's in words: `pull_request`. */
function nameOf(value: unknown): string {
  return plainLine(textOf(value).replaceAll('_', ' '))
}
