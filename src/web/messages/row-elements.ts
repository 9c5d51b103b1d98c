export type RowSize = { index: number; key: string; height: number }

/**
 * The rendered rows, by key. `onSizes` is called with the heights that have changed, and with those of new rows, the last
 * row first: in the frame in which the browser lays them out, before it is painted.
 */
export function createRowElements(onSizes: (sizes: RowSize[]) => void) {
  const elements = new Map<string, HTMLElement>()
  const keys = new WeakMap<Element, string>()
  const observer = new ResizeObserver((entries) => {
    const sizes = entries.map(({ target, borderBoxSize }) => {
      return sizeOf(target as HTMLElement, borderBoxSize[0]!.blockSize)
    })
    onSizes(sizes.sort((one, other) => other.index - one.index))
  })

  function sizeOf(element: HTMLElement, height: number): RowSize {
    return { index: Number(element.dataset.index), key: keys.get(element) ?? '', height }
  }

  return {
    get: (key: unknown) => elements.get(String(key)),
    /** Takes in the rows of a list that has been rendered. */
    update(list: HTMLElement | null, keyOf: (index: number) => string): void {
      const gone = new Set(elements.keys())
      for (const row of list?.querySelectorAll<HTMLElement>(':scope > [data-index]') ?? []) {
        const key = keyOf(Number(row.dataset.index))
        gone.delete(key)
        const before = elements.get(key)
        if (before === row) continue
        if (before) observer.unobserve(before)
        elements.set(key, row)
        keys.set(row, key)
        observer.observe(row, { box: 'border-box' })
      }
      for (const key of gone) {
        observer.unobserve(elements.get(key)!)
        elements.delete(key)
      }
    },
    /** The heights of all, the last row first. Has the page laid out at once if something has changed. */
    measure(): RowSize[] {
      const sizes = [...elements.values()].map((row) => sizeOf(row, row.getBoundingClientRect().height))
      return sizes.sort((one, other) => other.index - one.index)
    },
    close(): void {
      observer.disconnect()
    },
  }
}
