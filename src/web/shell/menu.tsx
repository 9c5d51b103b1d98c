import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { moveInMenu } from './menu-keys.ts'

type MenuProps = { label?: string; button: ComponentChildren; children: ComponentChildren; class?: string }

/** A button that opens a list of further buttons. */
export function Menu({ label, button, children, ...more }: MenuProps) {
  const id = useId()
  return (
    <div class="menu">
      <button type="button" class={more.class ?? 'plain'} popovertarget={id} aria-label={label}>
        {button}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are for the buttons in it */}
      <div
        id={id}
        popover="auto"
        class="menu-items"
        onToggle={focusFirst}
        onFocusOut={closeBehind}
        onKeyDown={moveInMenu}
      >
        {children}
      </div>
    </div>
  )
}

function focusFirst({ currentTarget, newState }: { currentTarget: HTMLElement; newState: string }): void {
  if (newState === 'open') currentTarget.querySelector('button')?.focus()
}

/** A menu closes when the focus goes elsewhere; its own button closes it by itself. */
function closeBehind({ currentTarget, relatedTarget }: FocusEvent): void {
  const menu = currentTarget as HTMLElement
  const isElsewhere = relatedTarget instanceof Element && !menu.contains(relatedTarget)
  if (isElsewhere && relatedTarget.getAttribute('popovertarget') !== menu.id) menu.hidePopover()
}

/** One of the buttons. The menu closes with it. */
export function MenuItem({ action, children }: { action: () => void; children: ComponentChildren }) {
  const choose = (event: Event) => {
    const item = event.currentTarget as HTMLElement
    item.closest<HTMLElement>('[popover]')?.hidePopover()
    action()
  }
  return (
    <button type="button" class="plain" onClick={choose}>
      {children}
    </button>
  )
}
