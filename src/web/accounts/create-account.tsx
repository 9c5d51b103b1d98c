import { api, enter } from '../session.ts'
import { Field, Form } from '../shell/form.tsx'
import { LinkTo, Screen } from '../shell/screen.tsx'
import { t } from '../texts/texts.ts'
import { arrive } from './arrive.ts'

/** Creates an account and goes on with it. */
export function CreateAccount({ invite }: { invite?: string | undefined }) {
  const submit = async ({ email = '', username = '', password = '' }: Record<string, string>) => {
    const body = { email: email.trim(), username: username.trim(), password }
    const { token } = await api.call('register', { body })
    enter(token)
    await arrive(invite)
  }

  return (
    <Screen title={t().createAnAccount}>
      <Form action={t().createAccount} submit={submit}>
        <Field label={t().email} name="email" type="email" autocomplete="email" isFocused />
        <Field label={t().username} name="username" hint={t().usernameHint} autocomplete="username" />
        <Field
          label={t().password}
          name="password"
          type="password"
          hint={t().passwordHint}
          autocomplete="new-password"
        />
      </Form>
      <p class="links">
        <LinkTo place={{ name: 'logIn', invite }}>{t().haveAccount}</LinkTo>
      </p>
    </Screen>
  )
}
