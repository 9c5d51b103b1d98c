/** How far a mouse goes, and how long a finger stays, before it takes hold of something. */
const slackPx = 6
const holdMs = 350
/** How close to the edge of what scrolls, and by how much it scrolls in a frame. */
const edgePx = 32
const stepPx = 10

type Dragging = {
  /** The lists, by `data-list`, that a thing may be put into. */
  listsFor: (id: string) => readonly string[]
  drop: (id: string, listId: string, beforeId: string | undefined) => void
}

/** `after` is what comes before the thing, if nothing comes after it. */
type Target = { list: HTMLElement; before: HTMLElement | undefined; after: HTMLElement | undefined }

/** Lets what has `data-item` within the area be dragged from list to list. Gives what ends it. */
export function listenForDrags(area: HTMLElement, dragging: Dragging): () => void {
  let end = () => {}
  const start = (event: PointerEvent) => {
    const item = itemAt(event)
    if (!item || event.button !== 0 || !event.isPrimary) return
    end()
    end = drag(area, item, event, dragging)
  }
  // The browser has a dragging of its own for links and pictures.
  const refuse = (event: Event) => event.preventDefault()
  area.addEventListener('pointerdown', start)
  area.addEventListener('dragstart', refuse)
  // A finger that has hold of something does not scroll. The listener has to be there before the touch.
  const stay = (event: Event) => {
    if (area.querySelector('[data-dragged]')) event.preventDefault()
  }
  area.addEventListener('touchmove', stay, { passive: false })
  return () => {
    end()
    area.removeEventListener('pointerdown', start)
    area.removeEventListener('dragstart', refuse)
    area.removeEventListener('touchmove', stay)
  }
}

/** What a press takes hold of; buttons keep their presses. */
function itemAt({ target }: Event): HTMLElement | null {
  return target instanceof Element && !target.closest('button') ? target.closest('[data-item]') : null
}

function drag(area: HTMLElement, item: HTMLElement, from: PointerEvent, { listsFor, drop }: Dragging) {
  const id = item.dataset.item ?? ''
  const scroller = scrollerOf(item)
  const startY = from.clientY + scroller.scrollTop
  const isTouch = from.pointerType === 'touch'
  const listening = new AbortController()
  let y = from.clientY
  let target: Target | undefined
  let isHeld = false

  const show = () => {
    mark(target, false)
    target = targetAt(area, item, listsFor(id), y)
    mark(target, true)
    item.style.translate = `0 ${y + scroller.scrollTop - startY}px`
  }
  const scroll = () => {
    if (!isHeld) return
    const { top, bottom } = scroller.getBoundingClientRect()
    const by = y < top + edgePx ? -stepPx : y > bottom - edgePx ? stepPx : 0
    if (by !== 0) {
      scroller.scrollBy(0, by)
      show()
    }
    requestAnimationFrame(scroll)
  }
  const hold = () => {
    isHeld = true
    item.dataset.dragged = ''
    item.setPointerCapture(from.pointerId)
    show()
    scroll()
  }
  const holding = isTouch ? setTimeout(hold, holdMs) : undefined
  const end = () => {
    clearTimeout(holding)
    listening.abort()
    mark(target, false)
    isHeld = false
    delete item.dataset.dragged
    item.style.translate = ''
  }
  const move = (event: PointerEvent) => {
    if (event.pointerId !== from.pointerId) return
    y = event.clientY
    const isFar = Math.hypot(event.clientX - from.clientX, y - from.clientY) > slackPx
    if (isHeld) show()
    else if (isFar && isTouch) end()
    else if (isFar) hold()
  }
  const release = () => {
    const found = isHeld ? target : undefined
    if (isHeld) refuseClick()
    end()
    if (found) drop(id, found.list.dataset.list ?? '', found.before?.dataset.item)
  }
  const leave = (event: KeyboardEvent) => {
    if (!isHeld || event.key !== 'Escape') return
    event.preventDefault()
    end()
  }
  const refuseMenu = (event: Event) => {
    if (isHeld) event.preventDefault()
  }
  const { signal } = listening
  addEventListener('pointermove', move, { signal })
  addEventListener('pointerup', release, { signal })
  addEventListener('pointercancel', end, { signal })
  addEventListener('keydown', leave, { signal, capture: true })
  addEventListener('selectstart', (event) => event.preventDefault(), { signal })
  addEventListener('contextmenu', refuseMenu, { signal })
  return end
}

/** The click that the end of a drag makes is none. */
function refuseClick(): void {
  const refuse = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', refuse, { capture: true })
  setTimeout(() => removeEventListener('click', refuse, { capture: true }))
}

function scrollerOf(item: HTMLElement): Element {
  for (let each = item.parentElement; each; each = each.parentElement) {
    if (each.scrollHeight > each.clientHeight && getComputedStyle(each).overflowY !== 'visible') return each
  }
  return document.documentElement
}

/** Where a thing would come at this height: in the nearest of the lists, before the first that begins further down. */
function targetAt(
  area: HTMLElement,
  item: HTMLElement,
  ids: readonly string[],
  y: number,
): Target | undefined {
  const lists = [area, ...area.querySelectorAll<HTMLElement>('[data-list]')]
    .filter(({ dataset }) => dataset.list !== undefined && ids.includes(dataset.list))
    .map((list) => ({ list, distance: distanceTo(list.getBoundingClientRect(), y) }))
    .sort((a, b) => a.distance - b.distance)
  const list = lists[0]?.list
  const others = itemsOf(list).filter((each) => each !== item)
  const before = others.find((each) => {
    const { top, height } = each.getBoundingClientRect()
    return y < top + height / 2
  })
  return list && { list, before, after: before ? undefined : others.at(-1) }
}

function itemsOf(list: HTMLElement | undefined): HTMLElement[] {
  const within = list?.querySelectorAll<HTMLElement>('[data-item]') ?? []
  return [...within].filter((each) => each.parentElement?.closest('[data-list]') === list)
}

function distanceTo({ top, bottom }: DOMRect, y: number): number {
  return Math.max(top - y, y - bottom, 0)
}

/** Shows, or no longer, where a thing would come. */
function mark(target: Target | undefined, isShown: boolean): void {
  const marked = target?.before ?? target?.after ?? target?.list
  if (!marked) return
  if (isShown) marked.dataset.drop = target?.after ? 'after' : 'before'
  else delete marked.dataset.drop
}
