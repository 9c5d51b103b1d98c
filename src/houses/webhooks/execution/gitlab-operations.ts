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
  textOf,
  urlOf,
  withEmoji,
  withoutMentions,
} from './text-operations.ts'

/** Commits that a push lists. */
const maxCommits = 10
/** Code points of a description or comment. */
const maxExcerpt = 1_000

/** An event of GitLab (`object_kind`) as text: who did what where. It mentions nobody. */
export function readGitlab(body: Fields): string {
  const kind = textOf(body.object_kind)
  const render = Object.hasOwn(renderings, kind) ? renderings[kind]! : renderSubject
  return withoutMentions(render(body))
}

const renderings: Record<string, (body: Fields) => string> = {
  push: renderPush,
  tag_push: renderPush,
  pipeline: renderPipeline,
  build: renderJob,
  note: renderNote,
}

function actorOf(body: Fields): string {
  return bold(plainLine(fieldsOf(body.user).name) || plainLine(body.user_name) || 'GitLab')
}

function placeOf({ project, group }: Fields): string {
  const { path_with_namespace, name } = fieldsOf(project)
  return (
    plainLine(path_with_namespace) || plainLine(name) || plainLine(fieldsOf(group).group_path) || 'GitLab'
  )
}

function renderPush(body: Fields): string {
  const ref = textOf(body.ref).replace(/^refs\/(?:heads|tags)\//, '')
  const place = `${body.object_kind === 'tag_push' ? 'tag' : 'branch'} ${code(ref)} of ${placeOf(body)}`
  if (/^0+$/.test(textOf(body.after))) return `${actorOf(body)} deleted ${place}`
  const commits = listOf(body.commits)
  const count = Number(body.total_commits_count) || commits.length
  const address = urlOf(fieldsOf(body.project).web_url)
  if (/^0+$/.test(textOf(body.before)) && count === 0) {
    return linked(`${actorOf(body)} created ${place}`, address)
  }
  const lines = commits.slice(-maxCommits).map(({ id, message, author, url }) => {
    const what = joinParts([plainLine(message), plainLine(fieldsOf(author).name)], ' — ')
    return `- ${namedLink(code(textOf(id).slice(0, 8)), urlOf(url))} ${what}`
  })
  const more = count - lines.length
  return joinParts([
    linked(`${actorOf(body)} pushed ${count} commit${count === 1 ? '' : 's'} to ${place}`, address),
    ...lines,
    more > 0 ? `- and ${more} more` : '',
  ])
}

function renderPipeline(body: Fields): string {
  const { id, status, ref, url } = fieldsOf(body.object_attributes)
  const address = urlOf(url) || urlOf(fieldsOf(body.commit).url)
  return joinParts([
    linked(
      `Pipeline #${plainLine(id)} of ${placeOf(body)} on ${code(ref)}: ${bold(plainLine(status))}`,
      address,
    ),
    plainLine(fieldsOf(body.commit).title),
  ])
}

function renderJob(body: Fields): string {
  const place = plainLine(body.project_name) || placeOf(body)
  return `Job ${bold(plainLine(body.build_name))} of ${place} on ${code(body.ref)}: ${bold(plainLine(body.build_status))}`
}

/** The fields of things that have comments. */
const commented = ['merge_request', 'issue', 'commit', 'snippet'] as const

function renderNote(body: Fields): string {
  const { note, url } = fieldsOf(body.object_attributes)
  const kind = commented.find((name) => name in body)
  const what = joinParts(
    [(kind ?? 'something').replace('_', ' '), titleOf(fieldsOf(kind && body[kind]))],
    ' ',
  )
  return joinParts([
    linked(`${actorOf(body)} commented on ${what} in ${placeOf(body)}`, urlOf(url)),
    quoted(excerpt(withEmoji(textOf(note)), maxExcerpt)),
  ])
}

const done: Record<string, string> = {
  open: 'opened',
  reopen: 'reopened',
  close: 'closed',
  merge: 'merged',
  update: 'updated',
  approved: 'approved',
  unapproved: 'withdrew the approval of',
  create: 'created',
  delete: 'deleted',
}

function renderSubject(body: Fields): string {
  const attributes = fieldsOf(body.object_attributes)
  const action = textOf(attributes.action ?? body.action ?? body.event_name)
  const verb = Object.hasOwn(done, action) ? done[action]! : plainLine(action.replaceAll('_', ' ')) || 'sent'
  const kind = plainLine(textOf(body.object_kind || body.event_name).replaceAll('_', ' '))
  const subject = body.object_attributes === undefined ? body : attributes
  const url = urlOf(subject.url) || urlOf(fieldsOf(body.project).web_url)
  const isNew = action === 'open' || action === 'create'
  return joinParts([
    linked(joinParts([actorOf(body), verb, kind, titleOf(subject), `in ${placeOf(body)}`], ' '), url),
    isNew ? quoted(excerpt(withEmoji(textOf(subject.description)), maxExcerpt)) : '',
  ])
}

function titleOf({ iid, title, name, tag, message }: Fields): string {
  const number = plainLine(iid)
  const names = [title, name, tag, message].map(plainLine)
  return joinParts([number && `#${number}`, bold(names.find((text) => text !== '') ?? '')], ' ')
}
