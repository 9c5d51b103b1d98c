import { useEffect } from 'preact/hooks'

/** How far a finger goes, and how much more across than down. */
const leastPx = 64
const slope = 2

export type Swipe = 'back' | 'forward'

/** Calls `act` when a finger goes across the page: back is to where lines end. */
export function useSwipe(act: (swipe: Swipe) => void): void {
  useEffect(() => {
    let from: Touch | undefined
    const start = ({ touches, target }: TouchEvent) => {
      const [first, ...others] = touches
      from = others.length > 0 || keepsTouches(target) ? undefined : first
    }
    const end = ({ changedTouches: [to] }: TouchEvent) => {
      if (!from || !to) return
      const [across, down] = [to.clientX - from.clientX, to.clientY - from.clientY]
      from = undefined
      if (Math.abs(across) < leastPx || Math.abs(across) < slope * Math.abs(down)) return
      const isRightToLeft = getComputedStyle(document.documentElement).direction === 'rtl'
      act(across > 0 === isRightToLeft ? 'forward' : 'back')
    }
    addEventListener('touchstart', start, { passive: true })
    addEventListener('touchend', end)
    return () => {
      removeEventListener('touchstart', start)
      removeEventListener('touchend', end)
    }
  }, [act])
}

/** Where one writes, what is above the page, and what scrolls across itself. */
function keepsTouches(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || target.closest('textarea, input, dialog, [popover]')) return true
  for (let each: Element | null = target; each; each = each.parentElement) {
    if (each.scrollWidth > each.clientWidth && /auto|scroll/.test(getComputedStyle(each).overflowX))
      return true
  }
  return false
}
