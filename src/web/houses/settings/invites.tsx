import type { Answer } from '../../../client/operations.ts'
import { hasBits, permission } from '../../../houses/permissions.ts'
import { bitsInHouse } from '../../rooms/permissions.ts'
import { api } from '../../session.ts'
import { openConfirmation } from '../../shell/confirmation.tsx'
import { useLoaded } from '../../shell/use-loaded.ts'
import type { House } from '../../state/state.ts'
import { shortText } from '../../texts/dates.ts'
import { st } from '../../texts/settings.ts'
import { language, plural, t } from '../../texts/texts.ts'
import { openInvitePeople } from '../dialogs.tsx'
import { inviteLinkOf } from '../invites.ts'

type Invite = Answer<'listInvites'>[number]

/** The invites to a house. */
export function InviteSettings({ house }: { house: House }) {
  const params = { id: house.id }
  const { value: invites, failure, reload } = useLoaded(() => api.call('listInvites', { params }), [house.id])
  const revoke = (code: string) =>
    openConfirmation(st().revoke, st().revokeSure, async () => {
      await api.call('revokeInvite', { params: { code } })
      await reload()
    })
  return (
    <section>
      <h2>{t().houseSections.invites}</h2>
      {hasBits(bitsInHouse(house), permission.CREATE_INVITES) && (
        <button type="button" class="primary" onClick={() => openInvitePeople(house.id, () => void reload())}>
          {t().invitePeople}
        </button>
      )}
      {failure !== '' && <p role="alert">{failure}</p>}
      {invites?.length === 0 && <p class="muted">{st().noInvites}</p>}
      <ul class="rows">
        {invites?.map((invite) => (
          <li key={invite.code} class="person">
            <span class="grows breaks">
              {inviteLinkOf(invite.code)} <span class="hint">{usesOf(invite)}</span>
            </span>
            <button
              type="button"
              aria-label={`${st().revoke}: ${invite.code}`}
              onClick={() => revoke(invite.code)}
            >
              {st().revoke}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function usesOf({ uses, max_uses, max_age, created_at }: Invite): string {
  const counted = plural(st().uses, uses)
  const used = max_uses
    ? st().usedOf(counted, new Intl.NumberFormat(language.value).format(max_uses))
    : counted
  if (!max_age) return used
  return `${used} · ${st().runsOut(shortText(Date.parse(created_at) + max_age * 1_000))}`
}
