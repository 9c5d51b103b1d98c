import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import { closeAtEscape } from '../shell/close-at-escape.ts'
import { Icon } from '../shell/icon.tsx'
import { lazy } from '../shell/lazy.tsx'
import { t } from '../texts/texts.ts'

/** The emoji themselves, loaded with the first grid. */
export const EmojiGrid = lazy(() => import('./emoji-grid.tsx').then(({ EmojiGrid: Grid }) => Grid))

/** A button that opens all emoji; the chosen one goes to `choose`. */
export function EmojiPicker({ choose }: { choose: (emoji: string) => void }) {
  const id = useId()
  const isOpen = useSignal(false)
  const popover = useRef<HTMLDivElement>(null)
  const onToggle = (event: { newState: string }) => {
    isOpen.value = event.newState === 'open'
  }
  return (
    <>
      <button type="button" class="plain" popovertarget={id} aria-label={t().emoji}>
        <Icon name="emoji" />
      </button>
      <div
        id={id}
        ref={popover}
        popover="auto"
        class="emoji-picker"
        role="dialog"
        aria-label={t().emoji}
        onToggle={onToggle}
        onKeyDown={(event) => closeAtEscape(event, () => popover.current?.hidePopover())}
      >
        {isOpen.value && (
          <EmojiGrid
            choose={(emoji) => {
              popover.current?.hidePopover()
              choose(emoji)
            }}
          />
        )}
      </div>
    </>
  )
}
