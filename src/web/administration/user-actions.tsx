import { api } from '../session.ts'
import { openConfirmation } from '../shell/confirmation.tsx'
import { Menu, MenuItem } from '../shell/menu.tsx'
import { useAction } from '../shell/use-action.tsx'
import { at } from '../texts/administration.ts'
import type { AdministeredUser } from './administered-user.ts'

type Action = { label: string; sure?: string; act: () => Promise<unknown>; isOffered: boolean }

/** What an admin can do about somebody else's account. */
export function UserActions({ of, reload }: { of: AdministeredUser; reload: () => Promise<void> }) {
  const { name } = of.user
  const { act: attempt, notice } = useAction()
  const offered = actionsFor(of).filter(({ isOffered }) => isOffered)
  const choose = ({ label, sure, act }: Action) => {
    const done = async () => {
      await act()
      await reload()
    }
    // What cannot be taken back by the same menu is asked for first.
    if (sure === undefined) void attempt(done)
    else openConfirmation(label, sure, done)
  }
  return (
    <>
      <Menu label={at().actionsFor(name)} button={at().actions} class="button">
        {offered.map((action) => (
          <MenuItem key={action.label} action={() => choose(action)}>
            {action.label}
          </MenuItem>
        ))}
      </Menu>
      {notice}
    </>
  )
}

function actionsFor({ user, disabled, admin, last_seen_at }: AdministeredUser): Action[] {
  const { id, name, bot, mfa_enabled } = user
  const params = { id }
  const edit = (body: { disabled?: boolean; admin?: boolean; mfa_enabled?: false }) => () =>
    api.call('administerUser', { params, body })
  return [
    {
      label: at().endSessions,
      sure: at().endSessionsSure(name),
      act: () => api.call('endSessionsOfUser', { params }),
      isOffered: last_seen_at !== null,
    },
    {
      label: at().disableTotp,
      sure: at().disableTotpSure(name),
      act: edit({ mfa_enabled: false }),
      isOffered: mfa_enabled,
    },
    { label: at().enable, act: edit({ disabled: false }), isOffered: disabled },
    {
      label: at().disable,
      sure: at().disableSure(name),
      act: edit({ disabled: true }),
      isOffered: !disabled,
    },
    { label: at().unmakeAdmin, act: edit({ admin: false }), isOffered: admin },
    {
      label: at().makeAdmin,
      sure: at().makeAdminSure(name),
      act: edit({ admin: true }),
      isOffered: !admin && !bot,
    },
    {
      label: at().deleteUser,
      sure: at().deleteUserSure(name),
      act: () => api.call('deleteAdministeredUser', { params }),
      isOffered: true,
    },
  ]
}
