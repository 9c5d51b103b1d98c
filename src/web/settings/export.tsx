import { useEffect, useId } from 'preact/hooks'
import { api } from '../session.ts'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Field, Form } from '../shell/form.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { shortText } from '../texts/dates.ts'
import { st } from '../texts/settings.ts'
import { t } from '../texts/texts.ts'

const lookEveryMs = 1_000

/** An archive of all that is one's own: asked for, being made, or ready for a day. */
export function ExportSettings() {
  const { value: archive, failure, reload } = useLoaded(() => api.call('getExport'))
  const id = useId()
  const { state, expires_at } = archive ?? {}
  useEffect(() => {
    if (state !== 'waiting') return
    const timer = setInterval(() => void reload(), lookEveryMs)
    return () => clearInterval(timer)
  }, [state])
  return (
    <section>
      <h2>{st().exportAccount}</h2>
      <p class="muted">{st().exportHint}</p>
      {failure !== '' && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {state === 'waiting' && (
        <div class="field">
          <label for={id}>{st().exportWaiting}</label>
          <progress id={id} max={100} value={archive?.progress} />
        </div>
      )}
      <div class="row">
        {archive?.url && (
          <a class="button primary" href={archive.url} download>
            {st().downloadExport}
          </a>
        )}
        {state !== undefined && state !== 'waiting' && (
          <button type="button" onClick={() => openRequest(reload)}>
            {st().requestExport}
          </button>
        )}
      </div>
      <p role="status">{expires_at && st().exportReady(shortText(Date.parse(expires_at)))}</p>
    </section>
  )
}

function openRequest(reload: () => Promise<void>): void {
  const submit = async ({ password = '' }: Record<string, string>) => {
    await api.call('requestExport', { body: { password }, rateLimitWaitMs: 0 })
    closeDialog()
    await reload()
  }
  openDialog(
    st().requestExport,
    <Form action={st().requestExport} submit={submit}>
      <Field label={t().password} name="password" type="password" autocomplete="current-password" isFocused />
    </Form>,
  )
}
