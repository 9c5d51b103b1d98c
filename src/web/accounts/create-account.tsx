import { inviteCodeIn } from '../houses/invites.ts'
import { api, enter } from '../session.ts'
import { Field, Form } from '../shell/form.tsx'
import { NewPasswordField } from '../shell/new-password-field.tsx'
import { LinkTo, Notice, Screen } from '../shell/screen.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { t } from '../texts/texts.ts'
import { arrive } from './arrive.ts'

/** Creates an account and goes on with it, as far as the server takes new ones. */
export function CreateAccount({ invite }: { invite?: string | undefined }) {
  const { value: server } = useLoaded(() => api.call('getServer'))
  if (server?.registration === 'closed') {
    return <Notice title={t().createAnAccount} text={t().registrationClosed} place={{ name: 'logIn' }} />
  }
  const needsInvite = server?.registration === 'invite'
  const submit = async ({ email = '', username = '', password = '', ...typed }: Record<string, string>) => {
    const code = typed.invite === undefined ? invite : inviteCodeIn(typed.invite)
    const body = {
      email: email.trim(),
      username: username.trim(),
      password,
      ...(needsInvite && code && { invite: code }),
    }
    const { token } = await api.call('register', { query: { extended: 'true' }, body })
    enter(token)
    await arrive(code)
  }

  return (
    <Screen title={t().createAnAccount}>
      {needsInvite && <p>{t().registrationByInvite}</p>}
      <Form action={t().createAccount} submit={submit}>
        <Field label={t().email} name="email" type="email" autocomplete="email" isFocused />
        <Field label={t().username} name="username" hint={t().usernameHint} autocomplete="username" />
        <NewPasswordField label={t().password} />
        {needsInvite && (
          <Field label={t().inviteLinkOrCode} name="invite" autocomplete="off" value={invite ?? ''} />
        )}
      </Form>
      <p class="links">
        <LinkTo place={{ name: 'logIn', invite }}>{t().haveAccount}</LinkTo>
      </p>
    </Screen>
  )
}
