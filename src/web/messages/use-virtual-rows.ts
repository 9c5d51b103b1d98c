import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { editedMessage } from './editing.ts'
import { type FoldEvent, foldEvent } from './folding.ts'
import { keepPosition, positionIn } from './positions.ts'
import type { Row } from './rows.ts'
import { createVirtualRows } from './virtual-rows.ts'

type Parts = { log: RefObject<HTMLElement | null>; list: RefObject<HTMLElement | null> }
type Shown = { rows: readonly Row[]; hasNewer: boolean }

/**
 * The rows of a room that are to be rendered, from where one left it. The one that has the focus, and the one that is
 * being edited, are rendered wherever they are.
 */
export function useVirtualRows(roomId: string, { log, list }: Parts, { rows, hasNewer }: Shown) {
  const renders = useSignal(0)
  const focused = useSignal<string | undefined>(undefined)
  const wanted = useRef<string | undefined>(undefined)
  const virtual = useMemo(() => {
    return createVirtualRows({
      log: () => log.current,
      list: () => list.current,
      position: rows.length > 0 ? positionIn(roomId) : undefined,
      onChange: () => {
        renders.value += 1
      },
    })
  }, [])
  // Other rows may be in sight with every change.
  renders.value
  const items = virtual.update({ rows, hasNewer, kept: [focused.value, editedMessage.value] })

  useLayoutEffect(() => {
    virtual.rendered()
    const index = wanted.current === undefined ? -1 : rows.findIndex(({ key }) => key === wanted.current)
    wanted.current = undefined
    virtual.elementAt(index)?.querySelector('article')?.focus()
  })
  useLayoutEffect(() => {
    const noteFold = (event: Event) => {
      const row = (event.target as Element).closest<HTMLElement>('[data-index]')
      if (row) virtual.beforeFold(Number(row.dataset.index), (event as FoldEvent).detail.isFolding)
    }
    const element = log.current
    element?.addEventListener(foldEvent, noteFold)
    return () => element?.removeEventListener(foldEvent, noteFold)
  }, [])
  useLayoutEffect(() => () => keepPosition(roomId, virtual.close()), [])

  return {
    virtual,
    items,
    /** Moves the focus to a row. */
    focus(index: number): void {
      const article = virtual.elementAt(index)?.querySelector('article')
      wanted.current = article ? undefined : rows[index]?.key
      if (article) article.focus()
      else focused.value = wanted.current
    },
    onFocusIn(event: FocusEvent): void {
      const row = (event.target as Element).closest<HTMLElement>('[data-index]')
      focused.value = row ? rows[Number(row.dataset.index)]?.key : undefined
    },
    onFocusOut({ relatedTarget }: FocusEvent): void {
      // When the window loses the focus, its element keeps it.
      const next = relatedTarget ?? document.activeElement
      if (!(next instanceof Node && log.current?.contains(next))) focused.value = undefined
    },
  }
}
