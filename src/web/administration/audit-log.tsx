import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
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
  const names = useTargetNames(entries)
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
                <Target entry={entry} name={names[entry.target_id ?? '']} />
              </p>
              <p class="hint">
                <time dateTime={entry.created_at}>{shortText(Date.parse(entry.created_at))}</time>
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

/** What it was done to: as it is called now, else by its id. One that is deleted has its name among the changes. */
function Target({ entry, name }: { entry: Entry; name: string | undefined }) {
  const { target_id, changes } = entry
  if (target_id === null || changes.some(({ key }) => isName(key))) return null
  return (
    <>
      : <bdi>{name ?? target_id}</bdi>
    </>
  )
}

function isName(key: string): boolean {
  return key === 'name' || key === 'username'
}

/** The names of what the entries are about, by id, as far as it is still there; looked up one after the other. */
function useTargetNames(entries: Entry[] | undefined): Record<string, string> {
  const names = useSignal<Record<string, string>>({})
  const asked = useRef(new Set<string>())
  useEffect(() => {
    const look = async () => {
      for (const { target_id: id, target_type, changes } of entries ?? []) {
        if (id === null || asked.current.has(id) || changes.some(({ key }) => isName(key))) continue
        asked.current.add(id)
        const name = await (target_type === 'house' ? houseName(id) : userName(id))
        if (name !== undefined) names.value = { ...names.peek(), [id]: name }
      }
    }
    // Without a name an entry has its id.
    look().catch(() => {})
  }, [entries])
  return names.value
}

async function userName(id: string): Promise<string | undefined> {
  const [found] = await api.call('listAdministeredUsers', { query: only(id) })
  return found?.user.id === id ? `@${found.user.username}` : undefined
}

async function houseName(id: string): Promise<string | undefined> {
  const [found] = await api.call('listAdministeredHouses', { query: only(id) })
  return found?.house.id === id ? found.house.name : undefined
}

/** A page with the one that has an id, or with the next one: who is gone has no page that is not found. */
function only(id: string): { after: string; limit: number } {
  return { after: String(BigInt(id) - 1n), limit: 1 }
}

function changeText({ key, old, new: next }: Entry['changes'][number]): string {
  const value = next ?? old
  const shown = typeof value === 'boolean' ? (value ? at().yes : at().no) : String(value ?? '')
  return `${at().auditedKeys[key] ?? key}: ${shown}`
}
