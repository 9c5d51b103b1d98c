import { useRef } from 'preact/hooks'
import type { OrderedList, Placement } from '../../shell/order.ts'
import { withPlacement } from './with-placement.ts'

/** For so long after a move the event of an earlier one may come, and show the lists before it. */
export const unsettledMs = 2_000

/** The lists in which the next move begins, and how to say what a move has made of them. */
export function useSettledLists(shown: readonly OrderedList[]) {
  const last = useRef<{ placement: Placement; atMs: number } | undefined>(undefined)
  const isUnsettled = last.current !== undefined && performance.now() - last.current.atMs < unsettledMs
  return {
    lists: isUnsettled ? withPlacement(shown, last.current!.placement) : shown,
    settle(placement: Placement) {
      last.current = { placement, atMs: performance.now() }
    },
  }
}
