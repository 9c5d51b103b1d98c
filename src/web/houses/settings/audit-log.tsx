import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import type { Answer } from '../../../client/operations.ts'
import { api } from '../../session.ts'
import { Field, Form } from '../../shell/form.tsx'
import { More } from '../../shell/more.tsx'
import { Picture } from '../../shell/picture.tsx'
import { useLoaded } from '../../shell/use-loaded.ts'
import { usePages } from '../../shell/use-pages.ts'
import type { House } from '../../state/state.ts'
import { shortText } from '../../texts/dates.ts'
import { st } from '../../texts/settings.ts'
import { plural, t } from '../../texts/texts.ts'
import { changeText, findName } from './audit-names.ts'

type Entry = Answer<'listAuditLog'>[number]
type Filter = { action?: string; user_id?: string }
const limit = 50

/** Who has changed what in a house, newest first, with a filter. */
export function AuditLogPage({ house }: { house: House }) {
  const { id } = house
  const list = useRef<HTMLUListElement>(null)
  const filter = useSignal<Filter>({})
  const pages = usePages<Entry>(
    limit,
    (last) => {
      const query = { limit, ...filter.value, ...(last && { before: last.id }) }
      return api.call('listAuditLog', { params: { id }, query })
    },
    [id, filter.value],
  )
  const { items: entries, failure } = pages
  const apply = async ({ action = '', username = '' }: Record<string, string>) => {
    const ref = username.trim()
    const user = ref === '' ? undefined : await api.call('getUser', { params: { ref } })
    filter.value = { ...(action !== '' && { action }), ...(user && { user_id: user.id }) }
  }
  return (
    <section>
      <h2>{t().houseSections['audit-log']}</h2>
      <Form action={st().showEntries} submit={apply}>
        <ActionChoice />
        <Field
          label={st().auditActor}
          name="username"
          hint={st().auditActorHint}
          autocomplete="off"
          isOptional
        />
      </Form>
      {failure !== '' && <p role="alert">{failure}</p>}
      {entries?.length === 0 && (
        <p class="muted">{Object.keys(filter.value).length === 0 ? st().noEntries : t().noHits}</p>
      )}
      <ul ref={list} class="rows">
        {entries?.map((entry) => (
          <EntryRow key={entry.id} house={house} entry={entry} />
        ))}
      </ul>
      <More of={pages} list={list} />
    </section>
  )
}

function ActionChoice() {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{st().auditAction}</label>
      <select id={id} name="action">
        <option value="">{st().auditEverything}</option>
        {Object.entries(st().auditActions).map(([action, text]) => (
          <option key={action} value={action}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

function EntryRow({ house, entry }: { house: House; entry: Entry }) {
  const { action, actor, changes, reason, created_at } = entry
  return (
    <li class="person">
      <Picture of={actor} kind="users" size="large" />
      <div class="grows breaks">
        <p>
          {st().auditActions[action] ?? action}
          <Target house={house} entry={entry} />
        </p>
        <p class="muted">
          <bdi>{actor.name}</bdi> · <time dateTime={created_at}>{shortText(Date.parse(created_at))}</time>
        </p>
        {reason !== null && <p class="hint">{reason}</p>}
        {changes.length > 0 && (
          <details>
            <summary>{plural(st().changedFields, changes.length)}</summary>
            <ul>
              {changes.map((change) => (
                <li key={change.key}>{changeText(house, action, change)}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </li>
  )
}

/** What it was done to: as it is called now, else as it was called, else the code of an invite. */
function Target({ house, entry: { target_id: id, target_type, changes } }: { house: House; entry: Entry }) {
  if (id === null || target_type === 'house') return null
  const change = changes.find(({ key }) => key === 'name')
  const name =
    findName(house, id) ?? change?.new ?? change?.old ?? (target_type === 'invite' ? id : undefined)
  if (name === undefined) return target_type === 'user' && <Stranger key={id} id={id} />
  return (
    <>
      : <bdi>{String(name)}</bdi>
    </>
  )
}

/** Somebody who is no member any more. */
function Stranger({ id }: { id: string }) {
  const { value: user } = useLoaded(() => api.call('getUser', { params: { ref: id } }), [id])
  return (
    <>
      : <bdi>{user?.name ?? id}</bdi>
    </>
  )
}
