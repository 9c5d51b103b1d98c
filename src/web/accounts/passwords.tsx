import { useSignal } from '@preact/signals'
import { go } from '../router.ts'
import { api } from '../session.ts'
import { Field, Form } from '../shell/form.tsx'
import { NewPasswordField } from '../shell/new-password-field.tsx'
import { LinkTo, Notice, Screen } from '../shell/screen.tsx'
import { useSendsMail } from '../shell/sends-mail.ts'
import { t } from '../texts/texts.ts'
import { CodeField, useLinkedCode } from './code-field.tsx'

/** Asks for a mail with a code, where the server sends mail. */
export function ForgottenPassword() {
  const sendsMail = useSendsMail()
  const submit = async ({ email = '' }: Record<string, string>) => {
    await api.call('forgotPassword', { body: { email: email.trim() } })
    go({ name: 'newPassword' })
  }
  if (sendsMail === false) {
    return (
      <Screen title={t().forgottenPassword}>
        <p>{t().noMail}</p>
        <p class="links">
          <LinkTo place={{ name: 'newPassword' }}>{t().haveCode}</LinkTo>
          <LinkTo place={{ name: 'logIn' }}>{t().logIn}</LinkTo>
        </p>
      </Screen>
    )
  }
  return (
    <Screen title={t().forgottenPassword}>
      <Form action={t().sendCode} submit={submit}>
        <Field
          label={t().email}
          name="email"
          type="email"
          hint={t().forgottenPasswordHint}
          autocomplete="email"
          isFocused
        />
      </Form>
      <p class="links">
        <LinkTo place={{ name: 'logIn' }}>{t().logIn}</LinkTo>
      </p>
    </Screen>
  )
}

/** Sets a new password by the code of the mail. */
export function NewPassword({ code: given }: { code?: string | undefined }) {
  const isDone = useSignal(false)
  const { code, use } = useLinkedCode(given)
  if (isDone.value) {
    return <Notice title={t().newPassword} text={t().passwordIsSet} place={{ name: 'logIn' }} />
  }
  const submit = async ({ code: typed = '', password = '' }: Record<string, string>) => {
    await use(api.call('resetPassword', { body: { code: typed.trim(), password } }))
    isDone.value = true
  }
  return (
    <Screen title={t().newPassword}>
      <Form action={t().setPassword} submit={submit}>
        <CodeField code={code} />
        <NewPasswordField label={t().newPassword} isFocused={code !== undefined} />
      </Form>
      <p class="links">
        <LinkTo place={{ name: 'forgottenPassword' }}>{t().forgottenPassword}</LinkTo>
        <LinkTo place={{ name: 'logIn' }}>{t().logIn}</LinkTo>
      </p>
    </Screen>
  )
}
