import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import { useFocusWhenShown } from './use-focus-when-shown.ts'

type CopyFieldProps = { label: string; value: string; hint?: string }

/** A text to be copied. It is selected when it appears, for browsers that keep the page from the clipboard. */
export function CopyField({ label, value, hint }: CopyFieldProps) {
  const id = useId()
  const field = useFocusWhenShown<HTMLInputElement>()
  const isCopied = useSignal(false)
  const copy = async () => {
    field.current?.select()
    await navigator.clipboard?.writeText(value)
    isCopied.value = navigator.clipboard !== undefined
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-row">
        <input ref={field} id={id} readOnly value={value} onFocus={() => field.current?.select()} />
        <button type="button" class="primary" onClick={copy} disabled={value === ''}>
          {isCopied.value ? t().copied : t().copy}
        </button>
      </div>
      {hint && <p class="hint">{hint}</p>}
    </div>
  )
}
