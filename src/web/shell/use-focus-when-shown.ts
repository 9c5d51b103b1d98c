import { useLayoutEffect, useRef } from 'preact/hooks'
import { whenUncovered } from './uncovered.ts'

/** Focuses an element whenever it appears. Browsers obey the attribute `autofocus` only once in a page. */
export function useFocusWhenShown<Focused extends HTMLElement>(isWanted = true) {
  const element = useRef<Focused>(null)
  useLayoutEffect(() => {
    if (!isWanted) return
    const focus = () => element.current?.focus({ preventScroll: true })
    if (element.current?.closest('dialog')) focus()
    else whenUncovered(focus)
  }, [])
  return element
}
