import { useRef } from 'preact/hooks'
import type { Answer } from '../../../client/operations.ts'
import { api } from '../../session.ts'
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
  const lift = (user_id: string) =>
    act(async () => {
      await api.call('liftBan', { params: { id, user_id } })
      await reload()
    })
  return (
    <section>
      <h2>{t().houseSections.bans}</h2>
      {failure !== '' && <p role="alert">{failure}</p>}
      {bans?.length === 0 && <p class="muted">{st().noBans}</p>}
      {notice}
      <ul ref={list} class="rows">
        {bans?.map(({ user_id, user, reason }) => (
          <li key={user_id} class="person">
            <Picture of={user} kind="users" size="large" />
            <span class="grows breaks">
              <bdi>{user.name}</bdi> <span class="muted">@{user.username}</span>
              {reason && <span class="hint"> {reason}</span>}
            </span>
            <button type="button" aria-label={`${st().liftBan}: ${user.name}`} onClick={() => lift(user_id)}>
              {st().liftBan}
            </button>
          </li>
        ))}
      </ul>
      <More of={pages} list={list} />
    </section>
  )
}
