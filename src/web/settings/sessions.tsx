import { useRef } from 'preact/hooks'
import type { Answer } from '../../client/operations.ts'
import { api } from '../session.ts'
import { announce } from '../shell/announcement.tsx'
import { openConfirmation } from '../shell/confirmation.tsx'
import { More } from '../shell/more.tsx'
import { usePages } from '../shell/use-pages.ts'
import { shortText } from '../texts/dates.ts'
import { st } from '../texts/settings.ts'

type LoginSession = Answer<'listSessions'>[number]

const limit = 100

/** Where one is logged in. */
export function SessionSettings() {
  const list = useRef<HTMLUListElement>(null)
  const pages = usePages<LoginSession>(limit, (last) =>
    api.call('listSessions', { query: { limit, ...(last && { before: last.id }) } }),
  )
  const { items: sessions = [], failure, reload } = pages
  const end = (session: LoginSession) =>
    openConfirmation(st().endSession, st().endSessionSure(nameOf(session)), async () => {
      await api.call('endSession', { params: { id: session.id } })
      await reload()
      announce(st().sessionEnded)
    })
  return (
    <section>
      <h2>{st().sessions}</h2>
      {failure !== '' && <p role="alert">{failure}</p>}
      <ul ref={list} class="rows">
        {sessions.map((session) => (
          <li key={session.id} class="person">
            <Session of={session} />
            {!session.current && (
              <button
                type="button"
                onClick={() => end(session)}
                aria-label={`${st().endSession}: ${nameOf(session)}`}
              >
                {st().endSession}
              </button>
            )}
          </li>
        ))}
      </ul>
      <More of={pages} list={list} />
    </section>
  )
}

function nameOf({ client }: LoginSession): string {
  return client || st().unknownClient
}

function Session({ of }: { of: LoginSession }) {
  return (
    <div class="grows">
      <p class="breaks">
        {nameOf(of)} {of.current && <strong class="badge">{st().thisSession}</strong>}
      </p>
      <p class="hint">
        {of.address && `${of.address} · `}
        {st().lastSeen} <time dateTime={of.last_seen_at}>{shortText(Date.parse(of.last_seen_at))}</time>
      </p>
    </div>
  )
}
