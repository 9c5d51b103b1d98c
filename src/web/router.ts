import { signal } from '@preact/signals'
import { base, type Place, parsePlace, pathOf } from './places.ts'

/** The place that an address of this page names. */
export function parsePath(address: string): Place {
  const { pathname, search, hash } = new URL(address, location.origin)
  return parsePlace(pathname, search, hash)
}

function here(): Place {
  return parsePlace(location.pathname, location.search, location.hash)
}

/** Where one is. */
export const place = signal<Place>({ name: 'home' })
/** Whether something covers the page that the way back uncovers. */
export const isPageCovered = signal(false)

/** What the history says of a step: the address before it, whether it covered the page, and where one left it. */
type Step = { from: string; isCovering?: boolean; left?: string | undefined } | null

let whereLeft: (() => string) | undefined

/** Before one goes on, the callback says where in the page one is: the place has it when one steps back. */
export function onLeaving(callback: () => string): () => void {
  whereLeft = callback
  return () => {
    if (whereLeft === callback) whereLeft = undefined
  }
}

/** Takes the place from the address bar, and follows it and the links of the page from then on. */
export function startRouter(): void {
  place.value = here()
  dropCode()
  addEventListener('popstate', () => {
    isSteppingBack = false
    const { left, ...step } = lastStep() ?? { from: '' }
    place.value = Object.assign(here(), left !== undefined && { left })
    dropCode()
    // It counts for this step back, and not for a later one.
    if (left !== undefined) history.replaceState(step, '')
    isPageCovered.value = step.isCovering === true
  })
  addEventListener('click', followLink)
}

/** Takes the code of a mail's link out of the address bar, and so out of the history. */
function dropCode(): void {
  if (location.hash.startsWith('#code=')) {
    history.replaceState(history.state, '', location.pathname + location.search)
  }
}

function lastStep(): Step {
  return history.state as Step
}

/** Goes to a place; `replace` leaves no step back to the present one. */
export function go(to: Place, { replace = false } = {}): void {
  const path = pathOf(to)
  const from = location.pathname + location.search
  if (replace) history.replaceState(lastStep(), '', path)
  else if (path !== from) {
    if (whereLeft) history.replaceState({ ...lastStep(), left: whereLeft() }, '')
    history.pushState({ from } satisfies Step, '', path)
  }
  place.value = to
  isPageCovered.value = false
}

/** Set from a step back until the browser has taken it: a second one meanwhile would lead out of the client. */
let isSteppingBack = false

function stepBack(): void {
  if (isSteppingBack) return
  isSteppingBack = true
  history.back()
}

/** Goes to a place that one comes from, by a step back if that leads there. */
export function goBackTo(to: Place): void {
  if (lastStep()?.from === pathOf(to)) stepBack()
  else go(to)
}

/** Covers the page, as a step of its own, or uncovers it. */
export function coverPage(isCovered: boolean): void {
  const from = location.pathname + location.search
  // A step back uncovers it too: once it is done.
  if (!isCovered && lastStep()?.isCovering) stepBack()
  else isPageCovered.value = isCovered
  if (isCovered) history.pushState({ from, isCovering: true } satisfies Step, '')
}

/** A click on a link to a place goes there without loading the page again, unless it asks for a new tab. */
function followLink(event: MouseEvent): void {
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!isPlain || !link || event.defaultPrevented || link.target || link.origin !== location.origin) return
  if (!link.pathname.startsWith(`${base}/`)) return
  event.preventDefault()
  go(parsePath(link.href))
}
