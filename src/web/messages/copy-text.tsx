import { useSignal } from '@preact/signals'
import { t } from '../texts/texts.ts'
import { copy } from './actions.tsx'

/** A button in a line of text that copies what was written, and says so. */
export function CopyText({ of }: { of: string }) {
  const isCopied = useSignal(false)
  const act = async () => {
    const copying = copy(of)
    await copying
    isCopied.value = copying !== undefined
  }
  return (
    <button type="button" class="link" onClick={act}>
      {isCopied.value ? t().copied : t().copyText}
    </button>
  )
}
