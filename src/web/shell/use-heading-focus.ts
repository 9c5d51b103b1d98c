import { useLayoutEffect, useRef } from 'preact/hooks'
import { whenUncovered } from './uncovered.ts'

/** Focuses the heading of a page when the page appears, unless something else in the page has the focus. */
export function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    whenUncovered(() => {
      const element = heading.current
      if (element?.closest('main')?.contains(document.activeElement)) return
      element?.focus({ preventScroll: true })
    })
  }, [])
  return heading
}
