import { useSignal } from '@preact/signals'
import { api } from '../session.ts'
import { Form } from '../shell/form.tsx'
import { Notice, Screen } from '../shell/screen.tsx'
import { t } from '../texts/texts.ts'
import { CodeField, useLinkedCode } from './code-field.tsx'

/** Confirms an e-mail address by the code of the mail. */
export function ConfirmEmail({ code: given }: { code?: string | undefined }) {
  const isDone = useSignal(false)
  const { code, use } = useLinkedCode(given)
  if (isDone.value) return <Notice title={t().confirmEmail} text={t().emailIsConfirmed} />
  const submit = async ({ code: typed = '' }: Record<string, string>) => {
    await use(api.call('verifyEmail', { body: { code: typed.trim() } }))
    isDone.value = true
  }
  return (
    <Screen title={t().confirmEmail}>
      <Form action={t().confirm} submit={submit}>
        <CodeField code={code} />
      </Form>
    </Screen>
  )
}
