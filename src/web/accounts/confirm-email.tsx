import { useSignal } from '@preact/signals'
import { api } from '../session.ts'
import { Field, Form } from '../shell/form.tsx'
import { Notice, Screen } from '../shell/screen.tsx'
import { useSendsMail } from '../shell/sends-mail.ts'
import { t } from '../texts/texts.ts'

/** Confirms an e-mail address by the code of the mail. */
export function ConfirmEmail({ code }: { code?: string | undefined }) {
  const isDone = useSignal(false)
  const sendsMail = useSendsMail()
  if (isDone.value) return <Notice title={t().confirmEmail} text={t().emailIsConfirmed} />
  const submit = async ({ code: typed = '' }: Record<string, string>) => {
    await api.call('verifyEmail', { body: { code: typed.trim() } })
    isDone.value = true
  }
  return (
    <Screen title={t().confirmEmail}>
      <Form action={t().confirm} submit={submit}>
        {code === undefined ? (
          <Field
            label={t().code}
            name="code"
            hint={sendsMail === false ? t().noMail : t().codeHint}
            autocomplete="one-time-code"
            isFocused
          />
        ) : (
          <input type="hidden" name="code" value={code} />
        )}
      </Form>
    </Screen>
  )
}
