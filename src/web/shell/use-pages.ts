import { useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { errorText } from '../texts/texts.ts'

export type Pages<Item> = {
  items: Item[] | undefined
  hasMore: boolean
  failure: string
  more: () => Promise<void>
  /** Loads as many as are shown once more. */
  reload: () => Promise<void>
}

/**
 * A list that comes in pages of at most `limit`; `load` gives what follows the last item. Anew when one of
 * `dependencies` changes. A page may have less: the list ends with an empty one.
 */
export function usePages<Item>(
  limit: number,
  load: (last: Item | undefined) => Promise<Item[]>,
  dependencies: readonly unknown[] = [],
): Pages<Item> {
  const items = useSignal<Item[] | undefined>(undefined)
  const hasMore = useSignal(false)
  const failure = useSignal('')
  const asked = useRef(0)

  const fill = useCallback(async (known: Item[], wanted: number) => {
    asked.current += 1
    const turn = asked.current
    try {
      let all = known
      let size = 0
      do {
        const page = await load(all.at(-1))
        all = [...all, ...page]
        size = page.length
      } while (size > 0 && all.length < wanted)
      // What was asked for before something else is no longer wanted.
      if (turn !== asked.current) return
      items.value = all
      hasMore.value = size > 0
      failure.value = ''
    } catch (error) {
      if (turn === asked.current) failure.value = errorText(error)
    }
  }, dependencies)

  useEffect(() => void fill([], limit), dependencies)
  const shown = items.value ?? []
  return {
    items: items.value,
    hasMore: hasMore.value,
    failure: failure.value,
    more: () => fill(shown, shown.length + limit),
    reload: () => fill([], Math.max(shown.length, limit)),
  }
}
