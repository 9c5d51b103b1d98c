import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/**
 * Makes the links and buttons of a list a single stop of Tab: the open one, otherwise the one that had the focus last.
 * Arrows, Home and End move between them.
 */
export function useRovingFocus(list: RefObject<HTMLElement | null>): void {
  useEffect(() => (list.current ? startRoving(list.current) : undefined), [])
}

function startRoving(list: HTMLElement): () => void {
  let last: HTMLElement | undefined
  const update = () => {
    const items = itemsOf(list)
    const focused = items.find((each) => each === document.activeElement)
    const current = items.find((each) => each.hasAttribute('aria-current'))
    const stop = focused ?? current ?? items.find((each) => each === last) ?? items[0]
    for (const each of items) {
      const tabIndex = each === stop ? 0 : -1
      if (each.tabIndex !== tabIndex) each.tabIndex = tabIndex
    }
  }
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement) last = target
    update()
  }
  const onKey = (event: KeyboardEvent) => {
    const items = itemsOf(list)
    const at = items.indexOf(event.target as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
    const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey
    if (at === -1 || to === undefined || isHeld || event.defaultPrevented) return
    event.preventDefault()
    items[to]?.focus()
  }
  const observer = new MutationObserver(update)
  observer.observe(list, { childList: true, subtree: true, attributeFilter: ['aria-current'] })
  list.addEventListener('focusin', onFocus)
  list.addEventListener('keydown', onKey)
  update()
  return () => {
    observer.disconnect()
    list.removeEventListener('focusin', onFocus)
    list.removeEventListener('keydown', onKey)
  }
}

/** The links and buttons of a list, without those of its menus, which have keys of their own. */
function itemsOf(list: HTMLElement): HTMLElement[] {
  const all = [...list.querySelectorAll<HTMLElement>('a[href], button')]
  return all.filter((each) => !each.closest('[popover]'))
}
