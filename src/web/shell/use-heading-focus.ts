import { useLayoutEffect, useRef } from 'preact/hooks'
import { isNarrow } from './media.ts'

/** For the heading of a column: where there is one at a time, what had the focus went with the one before. */
export function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    const { activeElement: active, body } = document
    const isLost = active === null || active === body || !active.checkVisibility()
    if (isNarrow.peek() && isLost) heading.current?.focus({ preventScroll: true })
  }, [])
  return heading
}
