import { useSignal } from '@preact/signals'
import { api } from '../session.ts'
import { CopyField } from '../shell/copy-field.tsx'
import { Field, Form } from '../shell/form.tsx'
import { useFocusWhenShown } from '../shell/use-focus-when-shown.ts'
import { useLoaded } from '../shell/use-loaded.ts'
import { st } from '../texts/settings.ts'
import { t } from '../texts/texts.ts'
import { QrCode } from './qr-code.tsx'

type Values = Record<string, string>
type Secret = { secret: string; otpauth_url: string }

/** Turns two-factor codes on, in two steps, or off. */
export function TwoFactorSettings() {
  const { value: me, failure, reload } = useLoaded(() => api.call('getOwnUser'))
  const secret = useSignal<Secret | undefined>(undefined)
  const backupCodes = useSignal<string[]>([])
  if (!me) return <p role={failure ? 'alert' : undefined}>{failure || t().loading}</p>

  const begin = async ({ password = '' }: Values) => {
    secret.value = await api.call('beginTotp', { body: { password } })
  }
  const enable = async ({ code = '' }: Values) => {
    const { backup_codes } = await api.call('enableTotp', { body: { code: code.trim() } })
    backupCodes.value = backup_codes
    secret.value = undefined
    await reload()
  }
  const disable = async ({ password = '' }: Values) => {
    await api.call('disableTotp', { body: { password } })
    backupCodes.value = []
    await reload()
  }
  return (
    <section>
      <h2>{st().twoFactor}</h2>
      <p role="status">{me.mfa_enabled ? st().twoFactorOn : st().twoFactorOff}</p>
      {backupCodes.value.length > 0 && <BackupCodes codes={backupCodes.value} />}
      {me.mfa_enabled && (
        <Form key="off" action={st().turnOff} submit={disable} isDangerous>
          <Field label={t().password} name="password" type="password" autocomplete="current-password" />
        </Form>
      )}
      {!me.mfa_enabled && !secret.value && (
        <Form key="begin" action={st().setUp} submit={begin}>
          <Field label={t().password} name="password" type="password" autocomplete="current-password" />
        </Form>
      )}
      {secret.value && <Enrolment of={secret.value} enable={enable} />}
    </section>
  )
}

type EnrolmentProps = { of: Secret; enable: (values: Values) => Promise<void> }

function Enrolment({ of, enable }: EnrolmentProps) {
  return (
    <>
      <p>{st().scanThis}</p>
      <QrCode text={of.otpauth_url} label={st().qrCode} />
      <CopyField label={st().secretKey} value={of.secret} hint={st().secretKeyHint} />
      <Form key="enable" action={st().turnOn} submit={enable}>
        <Field
          label={st().codeOfApp}
          name="code"
          autocomplete="one-time-code"
          isFocused
          hint={st().codeOfAppHint}
        />
      </Form>
    </>
  )
}

function BackupCodes({ codes }: { codes: string[] }) {
  const heading = useFocusWhenShown<HTMLHeadingElement>()
  return (
    <div class="field">
      <h3 ref={heading} tabIndex={-1}>
        {st().backupCodes}
      </h3>
      <p>{st().backupCodesHint}</p>
      <ul class="backup-codes" aria-label={st().backupCodes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </div>
  )
}
