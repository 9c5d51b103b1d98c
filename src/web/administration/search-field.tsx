import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { at } from '../texts/administration.ts'

/** A field that narrows a list to what is called so. */
export function SearchField({ label, wanted }: { label: string; wanted: Signal<string> }) {
  const id = useId()
  return (
    <div class="field grows">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        autocomplete="off"
        maxLength={64}
        aria-describedby={`${id}-hint`}
        onInput={(event) => {
          wanted.value = event.currentTarget.value
        }}
      />
      <p class="hint" id={`${id}-hint`}>
        {at().findHint}
      </p>
    </div>
  )
}
