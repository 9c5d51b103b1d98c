import { useRef } from 'preact/hooks'
import type { Answer } from '../../../client/operations.ts'
import { api } from '../../session.ts'
import { offerUndo } from '../../shell/announcement.tsx'
import { More } from '../../shell/more.tsx'
import { Picture } from '../../shell/picture.tsx'
import { useAction } from '../../shell/use-action.tsx'
import { usePages } from '../../shell/use-pages.ts'
import type { House } from '../../state/state.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'

type Ban = Answer<'listBans'>[number]
const limit = 100

/** Who is banned from a house, and why. */
export function BanSettings({ house: { id } }: { house: House }) {
  const list = useRef<HTMLUListElement>(null)
  const pages = usePages<Ban>(
    limit,
    (last) =>
      api.call('listBans', { params: { id }, query: { limit, ...(last && { before: last.user_id }) } }),
    [id],
  )
  const { items: bans, failure, reload } = pages
  const { act, notice } = useAction()
  const lift = ({ user_id, user, reason }: Ban) =>
    act(async () => {
      const params = { id, user_id }
      await api.call('liftBan', { params })
      await reload()
      offerUndo(st().banLifted(user.name), async () => {
        await api.call('banUser', { params, body: reason ? { reason } : {} })
        await reload()
      })
    })
  return (
    <section>
      <h2>{t().houseSections.bans}</h2>
      {failure !== '' && <p role="alert">{failure}</p>}
      {bans?.length === 0 && <p class="muted">{st().noBans}</p>}
      {notice}
      <ul ref={list} class="rows">
        {bans?.map((ban) => (
          <li key={ban.user_id} class="person">
            <Picture of={ban.user} kind="users" size="large" />
            <span class="grows breaks">
              <bdi>{ban.user.name}</bdi> <span class="muted">@{ban.user.username}</span>
              {ban.reason && <span class="hint"> {ban.reason}</span>}
            </span>
            <button type="button" aria-label={`${st().liftBan}: ${ban.user.name}`} onClick={() => lift(ban)}>
              {st().liftBan}
            </button>
          </li>
        ))}
      </ul>
      <More of={pages} list={list} />
    </section>
  )
}
