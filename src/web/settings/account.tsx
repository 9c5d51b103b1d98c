import type { Answer } from '../../client/operations.ts'
import { pathOf } from '../places.ts'
import { go } from '../router.ts'
import { api, leaveForGood } from '../session.ts'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Field, Form } from '../shell/form.tsx'
import { NewPasswordField } from '../shell/new-password-field.tsx'
import { useSendsMail } from '../shell/sends-mail.ts'
import { useAction } from '../shell/use-action.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { store } from '../state/store.ts'
import { listed } from '../texts/isolation.ts'
import { st } from '../texts/settings.ts'
import { t } from '../texts/texts.ts'
import { ExportSettings } from './export.tsx'

type Values = Record<string, string>

/** Username, e-mail address and password, and the end of the account. */
export function AccountSettings() {
  const { value: me, failure, reload } = useLoaded(() => api.call('getOwnUser'))
  if (!me) return <p role={failure ? 'alert' : undefined}>{failure || t().loading}</p>
  const changeUsername = async ({ username = '' }: Values) => {
    await api.call('editOwnUser', { body: { username: username.trim() } })
    await reload()
  }
  return (
    <>
      <section>
        <h2>{t().username}</h2>
        <Form action={st().changeUsername} submit={changeUsername} done={st().saved}>
          <Field
            label={t().username}
            name="username"
            value={me.username}
            hint={t().usernameHint}
            autocomplete="username"
          />
        </Form>
      </section>
      <Email email={me.email} isVerified={me.email_verified} />
      <ChangePassword of={me} />
      <ExportSettings />
      <section>
        <h2>{st().deleteAccount}</h2>
        <p class="muted">{st().deleteAccountHint}</p>
        <button type="button" class="dangerous" onClick={openDeleteAccount}>
          {st().deleteAccount}
        </button>
      </section>
    </>
  )
}

type EmailProps = { email: string; isVerified: boolean }

function Email({ email, isVerified }: EmailProps) {
  const { act, notice } = useAction()
  const sendsMail = useSendsMail()
  const change = async ({ email: next = '', password = '' }: Values) => {
    await api.call('changeEmail', { body: { email: next.trim(), password } })
  }
  return (
    <section>
      <h2>{t().email}</h2>
      {!isVerified && (
        <div class="row">
          <p class="muted breaks">{st().notConfirmed(email)}</p>
          {sendsMail && (
            <button
              type="button"
              onClick={() => act(() => api.call('resendVerification'), st().confirmationSent)}
            >
              {st().sendAgain}
            </button>
          )}
          {notice}
        </div>
      )}
      {sendsMail === false && <p class="muted">{t().noMail}</p>}
      <Form
        action={st().changeEmail}
        submit={change}
        done={sendsMail === false ? t().noMail : st().emailChanged}
        more={
          <a class="button" href={pathOf({ name: 'confirmEmail' })}>
            {t().haveCode}
          </a>
        }
      >
        <Field label={t().email} name="email" type="email" value={email} autocomplete="email" />
        <Field label={t().password} name="password" type="password" autocomplete="current-password" />
      </Form>
    </section>
  )
}

function ChangePassword({ of: me }: { of: Answer<'getOwnUser'> }) {
  const change = async ({ current = '', password = '' }: Values) => {
    await api.call('changePassword', { body: { current, new: password } })
  }
  return (
    <section>
      <h2>{t().password}</h2>
      <p class="muted">{st().passwordEndsSessions}</p>
      <Form action={st().changePassword} submit={change} done={st().passwordChanged}>
        <Field label={st().presentPassword} name="current" type="password" autocomplete="current-password" />
        <NewPasswordField label={t().newPassword} of={me} />
      </Form>
    </section>
  )
}

function openDeleteAccount(): void {
  const submit = async ({ password = '' }: Values) => {
    await api.call('deleteOwnAccount', { body: { password } })
    closeDialog()
    leaveForGood()
    go({ name: 'logIn' })
  }
  const ended = housesAlone()
  openDialog(
    st().deleteAccount,
    <Form action={st().deleteAccount} submit={submit} isDangerous>
      <p>{st().deleteAccountSure}</p>
      {ended.length > 0 && <p class="breaks">{st().deleteAccountHouses(listed(ended))}</p>}
      <Field label={t().password} name="password" type="password" autocomplete="current-password" isFocused />
    </Form>,
  )
}

/** The names of houses with nobody else in them, which end with the account. */
function housesAlone(): string[] {
  const alone = Object.values(store.houses.peek()).filter(
    ({ id }) => Object.keys(store.members.peek()[id] ?? {}).length === 1,
  )
  return alone.map(({ name }) => name)
}
