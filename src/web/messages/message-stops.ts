import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** What Tab stops at. Browsers stop at `pre` if its text scrolls. */
const controls = 'a[href], button, summary, video, audio, pre, [tabindex]'

/**
 * Lets Tab stop at the links and buttons of the focused message only. Otherwise all those of the timeline would come before
 * the composer.
 */
export function useMessageStops(log: RefObject<HTMLElement | null>): void {
  useEffect(() => (log.current ? keepStops(log.current) : undefined), [])
}

function keepStops(log: HTMLElement): () => void {
  let open: Element | undefined
  const show = (next: Element | undefined) => {
    if (next === open) return
    if (open) closeStops(open)
    open = next
    if (open) openStops(open)
  }
  const onFocusIn = ({ target }: FocusEvent) => show(articleOf(target) ?? undefined)
  const onFocusOut = ({ relatedTarget }: FocusEvent) => {
    // When the window loses the focus, its element keeps it.
    const next = relatedTarget ?? document.activeElement
    if (!(next instanceof Node && log.contains(next))) show(undefined)
  }
  const observer = new MutationObserver((changes) => {
    for (const added of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (added instanceof Element && !open?.contains(added)) closeStops(added)
    }
  })
  observer.observe(log, { childList: true, subtree: true })
  log.addEventListener('focusin', onFocusIn)
  log.addEventListener('focusout', onFocusOut)
  closeStops(log)
  show(articleOf(document.activeElement) ?? undefined)
  return () => {
    observer.disconnect()
    log.removeEventListener('focusin', onFocusIn)
    log.removeEventListener('focusout', onFocusOut)
  }
}

function articleOf(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest('.log article') : null
}

function closeStops(root: Element): void {
  const own = root.matches('.log *') && root.matches(controls) ? [root as HTMLElement] : []
  for (const each of [...own, ...root.querySelectorAll<HTMLElement>(controls)]) {
    if (each.getAttribute('tabindex') === '-1') continue
    each.dataset.stop = each.getAttribute('tabindex') ?? ''
    each.tabIndex = -1
  }
}

function openStops(root: Element): void {
  for (const each of root.querySelectorAll<HTMLElement>('[data-stop]')) {
    const { stop } = each.dataset
    delete each.dataset.stop
    if (stop) each.setAttribute('tabindex', stop)
    else each.removeAttribute('tabindex')
  }
}
