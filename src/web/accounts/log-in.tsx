import { useSignal } from '@preact/signals'
import { ApiError } from '../../client/errors.ts'
import { api, enter, sessionHasEnded } from '../session.ts'
import { Field, Form } from '../shell/form.tsx'
import { LinkTo, Screen } from '../shell/screen.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { t } from '../texts/texts.ts'
import { arrive } from './arrive.ts'
import { OidcButton } from './oidc-login.tsx'

/** Logs in; asks for the second factor once the server does. */
export function LogIn({ invite }: { invite?: string | undefined }) {
  const asksForCode = useSignal(false)
  const { value: server, failure } = useLoaded(() => api.call('getServer'))
  // Without an answer it is not known that nobody can.
  const takesAccounts = server ? server.registration !== 'closed' : failure !== ''

  const submit = async ({ login = '', password = '', code = '' }: Record<string, string>) => {
    try {
      const body = { login: login.trim(), password, ...(code !== '' && { code: code.trim() }) }
      const { token } = await api.call('logIn', { query: { extended: 'true' }, body })
      enter(token)
      await arrive(invite)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'mfa_required') throw error
      asksForCode.value = true
    }
  }

  return (
    <Screen title={t().logInTitle}>
      {sessionHasEnded.value && <p role="status">{t().sessionHasEnded}</p>}
      <Form action={t().logIn} submit={submit} errors={{ invalid_credentials: t().wrongLogin }}>
        <Field label={t().loginName} name="login" autocomplete="username" isFocused />
        <Field label={t().password} name="password" type="password" autocomplete="current-password" />
        {asksForCode.value && (
          <Field
            label={t().secondFactor}
            name="code"
            hint={t().secondFactorHint}
            autocomplete="one-time-code"
            isFocused
          />
        )}
      </Form>
      {server?.oidc && <OidcButton invite={invite} />}
      <p class="links">
        {takesAccounts && <LinkTo place={{ name: 'createAccount', invite }}>{t().createAnAccount}</LinkTo>}
        <LinkTo place={{ name: 'forgottenPassword' }}>{t().forgottenPassword}</LinkTo>
      </p>
    </Screen>
  )
}
