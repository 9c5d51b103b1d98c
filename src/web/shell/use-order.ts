import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { listOf, type OrderedList, type Placement, placed, stepped } from './order.ts'
import { startLater } from './start-later.ts'

const stepOf: Record<string, 1 | -1> = { ArrowUp: -1, ArrowDown: 1 }

/**
 * Lets people put things in order: by dragging, by Alt+Shift and an arrow on one, and by what `step` gives for buttons.
 * The area goes to an element around them; in it `data-list` names a list, and `data-item` each thing in it.
 */
export function useOrder<Area extends HTMLElement>(
  lists: readonly OrderedList[],
  place: (placement: Placement) => void | Promise<void>,
) {
  const area = useRef<Area>(null)
  const latest = useRef({ lists, place })
  latest.current = { lists, place }
  /** What was moved by keyboard, and which of its controls has the focus. */
  const moved = useRef<{ id: string; index: number } | undefined>(undefined)

  const turn = useRef(Promise.resolve())

  /** Moves wait for those before them, and begin with what these have made of the lists. */
  const enqueue = (find: (lists: readonly OrderedList[]) => Placement | undefined) => {
    turn.current = turn.current.then(async () => {
      const placement = find(latest.current.lists)
      if (placement) await latest.current.place(placement)
      await new Promise((rendered) => setTimeout(rendered))
    })
  }
  const move = (id: string, by: 1 | -1) => {
    const focused = document.activeElement as HTMLElement
    const index = controlsOf(itemOf(area.current, id)).indexOf(focused)
    if (index >= 0) moved.current = { id, index }
    enqueue((all) => stepped(all, id, by))
  }
  const step = (id: string, by: 1 | -1) => stepped(lists, id, by) && (() => move(id, by))

  useEffect(() => {
    const element = area.current
    if (!element) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      const by = stepOf[event.key]
      const item = event.target instanceof Element ? event.target.closest('[data-item]') : null
      if (!by || !item || !event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      move(item.getAttribute('data-item') ?? '', by)
    }
    element.addEventListener('keydown', onKeyDown)
    const endDrags = startLater(async () => {
      const { listenForDrags } = await import('./drag.ts')
      return listenForDrags(element, {
        listsFor: (id) => {
          const { lists: all } = latest.current
          const kind = listOf(all, id)?.kind
          return all.filter((list) => list.kind === kind && !list.isClosed).map((list) => list.id)
        },
        drop: (id, listId, beforeId) => enqueue((all) => placed(all, id, listId, beforeId)),
      })
    })
    return () => {
      element.removeEventListener('keydown', onKeyDown)
      endDrags()
    }
  }, [])

  // An element that is taken elsewhere loses the focus on the way.
  useLayoutEffect(() => {
    if (!moved.current) return
    const item = itemOf(area.current, moved.current.id)
    if (document.activeElement === document.body) controlsOf(item)[moved.current.index]?.focus()
    else if (!item?.contains(document.activeElement)) moved.current = undefined
  })
  return { area, step }
}

function itemOf(area: HTMLElement | null, id: string): HTMLElement | undefined {
  return area?.querySelector<HTMLElement>(`[data-item="${CSS.escape(id)}"]`) ?? undefined
}

function controlsOf(item: HTMLElement | undefined): HTMLElement[] {
  return [...(item?.querySelectorAll<HTMLElement>('a, button') ?? [])]
}
