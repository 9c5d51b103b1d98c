import { t } from '../texts/texts.ts'
import { copy } from './actions.tsx'

/** A button in a line of text that copies what was written. */
export function CopyText({ of }: { of: string }) {
  return (
    <button type="button" class="link" onClick={() => void copy(t().copyText, of)}>
      {t().copyText}
    </button>
  )
}
