import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { go } from '../router.ts'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { t } from '../texts/texts.ts'
import { findPlaces, type Target } from './find-places.ts'

/** Lets one go to a room or a page by some letters of its name. */
export function openSwitcher(): void {
  openDialog(t().switcher, <Switcher />)
}

function Switcher() {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const typed = useSignal('')
  const at = useSignal(0)
  const targets = findPlaces(typed.value)
  const chosen = Math.min(at.value, targets.length - 1)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const choose = (target: Target | undefined) => {
    if (!target) return
    closeDialog()
    go(target.place)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (targets.length === 0) return
    if (step !== undefined) at.value = (chosen + step + targets.length) % targets.length
    else if (event.key === 'Enter') choose(targets[chosen])
    else return
    event.preventDefault()
  }
  return (
    <div class="switcher">
      <input
        role="combobox"
        aria-label={t().switcherHint}
        aria-expanded={targets.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={targets.length > 0 ? `${id}-${chosen}` : undefined}
        aria-autocomplete="list"
        placeholder={t().switcherHint}
        autocomplete="off"
        spellcheck={false}
        // biome-ignore lint/a11y/noAutofocus: one opened the dialog to write here
        autoFocus
        onInput={(event) => {
          typed.value = event.currentTarget.value
          at.value = 0
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t().switcher}>
        {targets.map((target, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field above
          <div
            key={target.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => choose(target)}
          >
            <span class="cut">{target.name}</span> <span class="muted cut">{target.where}</span>
          </div>
        ))}
      </div>
      <p role="status" class="muted">
        {targets.length === 0 && t().noHits}
      </p>
    </div>
  )
}
