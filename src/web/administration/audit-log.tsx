import { useRef } from 'preact/hooks'
import type { Answer } from '../../client/operations.ts'
import { api } from '../session.ts'
import { More } from '../shell/more.tsx'
import { usePages } from '../shell/use-pages.ts'
import { at } from '../texts/administration.ts'
import { shortText } from '../texts/dates.ts'

type Entry = Answer<'listServerAuditLog'>[number]

const limit = 50

/** What admins and commands of the operator did. */
export function AuditLog() {
  const list = useRef<HTMLUListElement>(null)
  const pages = usePages<Entry>(limit, (last) =>
    api.call('listServerAuditLog', { query: { limit, ...(last && { before: last.id }) } }),
  )
  const { items: entries, failure } = pages
  return (
    <section>
      <h2>{at().auditLog}</h2>
      {failure !== '' && <p role="alert">{failure}</p>}
      {entries?.length === 0 && <p class="muted">{at().nothingDone}</p>}
      <ul ref={list} class="rows">
        {entries?.map((entry) => (
          <li key={entry.id} class="person">
            <div class="grows breaks">
              <p>
                {entry.actor ? <bdi>@{entry.actor.username}</bdi> : at().byCommand}{' '}
                {at().audited[entry.action] ?? entry.action}
              </p>
              <p class="hint">
                <time dateTime={entry.created_at}>{shortText(Date.parse(entry.created_at))}</time>
                {entry.target_id && ` · ${entry.target_id}`}
                {entry.changes.map((change) => ` · ${changeText(change)}`).join('')}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <More of={pages} list={list} />
    </section>
  )
}

function changeText({ key, old, new: next }: Entry['changes'][number]): string {
  return [`${key}:`, String(old ?? ''), '→', String(next ?? '–')].filter(Boolean).join(' ')
}
