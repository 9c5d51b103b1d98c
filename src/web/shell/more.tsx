import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import type { Pages } from './use-pages.ts'

type MoreProps = { of: Pages<unknown>; list: { readonly current: HTMLElement | null } }

/** A button for the next page of a list. The focus goes to the first thing of the page. */
export function More({ of: { items = [], hasMore, more }, list }: MoreProps) {
  const next = useRef<number | undefined>(undefined)
  const load = () => {
    next.current = items.length
    void more()
  }
  useLayoutEffect(() => {
    const first = next.current === undefined ? undefined : list.current?.children[next.current]
    if (!(first instanceof HTMLElement)) return
    next.current = undefined
    first.tabIndex = -1
    first.focus()
  }, [items.length])
  return (
    hasMore && (
      <button type="button" onClick={load}>
        {t().more}
      </button>
    )
  )
}
