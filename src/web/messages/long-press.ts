import { useEffect, useRef } from 'preact/hooks'

const pressMs = 500
/** A finger that moves farther scrolls. */
const mostPx = 10
/** What has something of its own to do when it is pressed for long. */
const apart = 'textarea, input, video, .content a, .quote, .reaction'

/** Calls back when a finger rests on the element. While it does, no text is selected; to scroll is no press. */
export function useLongPress(act: () => void) {
  const press = useRef<{ element: HTMLElement; timer: number; x: number; y: number } | undefined>(undefined)
  const end = () => {
    if (!press.current) return
    clearTimeout(press.current.timer)
    delete press.current.element.dataset.pressed
    press.current = undefined
  }
  useEffect(() => end, [])
  return {
    onPointerDown(event: PointerEvent) {
      end()
      const element = event.currentTarget as HTMLElement
      const own = event.target instanceof Element ? event.target.closest(apart) : null
      const isApart = own !== null && own !== element
      if (event.pointerType !== 'touch' || !event.isPrimary || isApart) return
      const finish = () => {
        end()
        ignoreRelease()
        act()
      }
      element.dataset.pressed = ''
      press.current = { element, timer: setTimeout(finish, pressMs), x: event.clientX, y: event.clientY }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const { x, y } = press.current ?? { x: clientX, y: clientY }
      if (Math.hypot(clientX - x, clientY - y) > mostPx) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    onContextMenu(event: Event) {
      if (press.current) event.preventDefault()
    },
  }
}

/** The finger that is lifted after the press clicks on nothing, and opens no menu of the browser. */
function ignoreRelease(): void {
  const over = new AbortController()
  const { signal } = over
  const ignore = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  for (const name of ['click', 'contextmenu']) addEventListener(name, ignore, { capture: true, signal })
  for (const name of ['pointerdown', 'keydown']) {
    addEventListener(name, () => over.abort(), { capture: true, signal })
  }
}
