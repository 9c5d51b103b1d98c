import { signal } from '@preact/signals'
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core'
import type { Position } from './positions.ts'
import { createRowElements, type RowSize } from './row-elements.ts'
import { estimateSize } from './row-size.ts'
import type { Row } from './rows.ts'

/** So near to its end, the timeline stays at it. */
const endPx = 48
/** So many rows beyond each edge are rendered too. */
const overscan = 12
/** Above the first row is said where the room begins; below the last one is some space. */
const paddingPx = { start: 64, end: 8 }

type Shown = {
  rows: readonly Row[]
  /** Whether the room goes on after the last row. */
  hasNewer: boolean
  /** Keys of rows that are rendered wherever they are. */
  kept: readonly (string | undefined)[]
}

type Options = {
  /** What scrolls. */
  log(): HTMLElement | null
  /** The parent of the rendered rows, which have a `data-index`; it is as high as all rows together. */
  list(): HTMLElement | null
  /** Where one was, if not at the end. */
  position: Position | undefined
  /** Called when other rows are to be rendered. */
  onChange(): void
}

export type VirtualRows = ReturnType<typeof createVirtualRows>

type Size = { width: number; height: number }
type Rows = Virtualizer<HTMLElement, HTMLElement>
/** What virtual-core has still to do: private there. */
type Undone = Record<'pendingWrite' | 'pendingScrollAnchor' | '_clampedAdjustment', object | null> & {
  _holdOffset: number
}

/**
 * Says which rows are near to what is in sight, and puts them where they belong. What is being read stays where it is,
 * whatever is added, goes or changes its size above or below; at the end that is the end.
 */
export function createVirtualRows({ log, list, position, onChange }: Options) {
  const isAtEnd = signal(position === undefined)
  let rows: readonly Row[] = []
  let hasNewer = false
  let indexes = new Map<string, number>()
  let keyOf = (_index: number) => ''
  let items: readonly VirtualItem[] = []
  const places = new WeakMap<HTMLElement, number>()
  const estimates = new Map<string, number>()
  let isMeasuring = false
  const elements = createRowElements((sizes) => {
    resize(sizes)
    place({ inNextFrame: true })
    virtualizer._willUpdate()
  })
  let nextFrame: number | undefined
  /** Where the timeline begins in the window. */
  let top = 0
  /** The first row in sight that was measured before: those above it are new. */
  let firstSeen: number | undefined
  /** A row whose end stays: it is folded, or gets a head as its upper neighbours in sight went. */
  let growsUp: string | undefined
  /** A row in which a text is being folded or shown whole, and its size before that. */
  let folded: { key: string; size: number | undefined; isFolding: boolean } | undefined
  let lastShown: Shown = { rows, hasNewer, kept: [] }
  const virtualizer: Rows = new Virtualizer(optionsOf(lastShown))
  if (position) virtualizer.itemSizeCache = new Map(position.sizes)
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ key, index, start, end }) => {
    const offset = virtualizer.scrollOffset ?? 0
    if (virtualizer.itemSizeCache.has(key)) return end <= offset || key === growsUp
    return firstSeen === undefined ? start < offset : index < firstSeen
  }
  const rowAt = virtualizer.getVirtualItemForOffset
  // When rows come or go, virtual-core keeps this one in place: here not one that goes.
  virtualizer.getVirtualItemForOffset = (offset) => {
    const inSight = listFrom(offset)
    const kept = inSight.find(({ key }) => indexes.has(String(key))) ?? inSight[0]
    growsUp = kept === inSight[0] ? undefined : String(kept?.key)
    return kept
  }

  /** The rows in sight when the top of the window is at this offset. */
  function listFrom(offset: number): VirtualItem[] {
    const inSight: VirtualItem[] = []
    const end = offset + (virtualizer.scrollRect?.height ?? 0)
    let row = rowAt(offset)
    while (row && (row.start < end || inSight.length === 0)) {
      inSight.push(row)
      row = virtualizer.measurementsCache[row.index + 1]
    }
    return inSight
  }

  function optionsOf({ rows, kept }: Shown) {
    return {
      count: rows.length,
      getItemKey: keyOf,
      getScrollElement: log,
      estimateSize: (index: number) => estimate(rows[index]),
      overscan,
      paddingStart: paddingPx.start,
      paddingEnd: paddingPx.end,
      anchorTo: 'end' as const,
      followOnAppend: true,
      // Pages of newer messages come below what is being read, and are not followed.
      // The beginning of what is being shown whole stays, also at the end of the timeline.
      scrollEndThreshold: hasNewer || folded?.isFolding === false ? -1 : endPx,
      scrollToFn: elementScroll,
      observeElementOffset,
      observeElementRect: (instance: Rows, callback: (size: Size) => void) =>
        observeElementRect(instance, (size) => {
          const isOpen = instance.scrollOffset !== null
          const topBefore = top
          top = log()?.getBoundingClientRect().top ?? 0
          callback(size)
          if (isOpen && isAtEnd.peek() && !hasNewer) instance.scrollToEnd()
          // What comes above the timeline, as the banner does, covers its first lines.
          else if (isOpen && top !== topBefore) instance.scrollBy(top - topBefore)
          // A higher window may show the end without a scroll.
          if (isOpen && !isAtEnd.peek()) note()
        }),
      initialOffset,
      rangeExtractor: (range: Range) => {
        const wanted = kept.flatMap((key) => (key === undefined ? [] : (indexes.get(key) ?? [])))
        return [...new Set([...defaultRangeExtractor(range), ...wanted])].sort((a, b) => a - b)
      },
      onChange: () => {
        if (isMeasuring) return
        place()
        if (folded && virtualizer.itemSizeCache.get(folded.key) !== folded.size) endFold()
      },
    }
  }

  /** Always the same for one row: those below would move if it were not. */
  function estimate(row: Row | undefined): number {
    if (!row) return 0
    const size = estimates.get(row.key) ?? estimateSize(row, virtualizer.scrollRect?.width ?? 0)
    estimates.set(row.key, size)
    return size
  }

  /** A message that was on its way is as high as then: another height would leave the end of the timeline out of sight. */
  function estimateSent(next: readonly Row[]): void {
    for (const [index, row] of next.entries()) {
      const before = rows[index]
      if (before?.kind !== 'unsent' || row.kind !== 'message') continue
      const size = virtualizer.itemSizeCache.get(before.key)
      if (size !== undefined && row.message.content === before.entry.content) estimates.set(row.key, size)
    }
  }

  function initialOffset(): number {
    const total = virtualizer.getTotalSize()
    for (const { key, top } of position?.inSight ?? []) {
      const row = virtualizer.measurementsCache[indexes.get(key) ?? -1]
      if (row) return row.start - top
    }
    return Math.max(0, total - (log()?.clientHeight ?? 0))
  }

  /**
   * Puts the rendered rows where they belong, and asks for those that are not rendered yet: in the next frame where their
   * size could not be observed in this one any more.
   */
  function place({ inNextFrame = false } = {}): void {
    const element = list()
    if (!element) return
    element.style.blockSize = `${virtualizer.getTotalSize()}px`
    const wanted = virtualizer.getVirtualItems()
    for (const { key, start } of wanted) {
      const row = elements.get(key)
      if (!row || places.get(row) === start) continue
      row.style.insetBlockStart = `${start}px`
      places.set(row, start)
    }
    const isRendered = wanted.length === items.length && wanted.every(({ key }, n) => key === items[n]?.key)
    if (isRendered) return
    if (!inNextFrame) onChange()
    else nextFrame ??= requestAnimationFrame(changeInFrame)
  }

  function changeInFrame(): void {
    nextFrame = undefined
    onChange()
  }

  /** Takes the sizes of rows. From the last one on: where a row begins is known as long as none above it has changed. */
  function resize(sizes: readonly RowSize[]): void {
    isMeasuring = true
    const inSight = listFrom(virtualizer.scrollOffset ?? 0)
    firstSeen = inSight.find(({ key }) => virtualizer.itemSizeCache.has(key))?.index
    for (const { index, key, height } of sizes) {
      if (keyOf(index) !== key) continue
      virtualizer.resizeItem(index, height)
      // It forgets those that are as high as estimated.
      virtualizer.itemSizeCache.set(key, height)
    }
    isMeasuring = false
    growsUp = undefined
  }

  /** Whether rows have to be measured at once. While one scrolls, the browser measures them when it lays them out anyway. */
  function isMeasuredAtOnce(): boolean {
    const waits = growsUp !== undefined || folded !== undefined
    // biome-ignore lint/complexity/useLiteralKeys: it is private
    return waits || !virtualizer.isScrolling || virtualizer['scrollState'] !== null
  }

  /** Takes over where somebody has just scrolled to: otherwise the browser says so in the next frame only. */
  function catchUp(): void {
    const scrollTop = virtualizer.scrollElement?.scrollTop
    const { pendingWrite, pendingScrollAnchor, _clampedAdjustment, _holdOffset } =
      virtualizer as unknown as Undone
    const isDone = !pendingWrite && !pendingScrollAnchor && !_clampedAdjustment && _holdOffset === 0
    if (scrollTop === undefined || virtualizer.scrollOffset === null || !isDone) return
    if (Math.abs(scrollTop - virtualizer.scrollOffset) > 1) virtualizer.scrollOffset = scrollTop
  }

  function endFold(): void {
    folded = undefined
    growsUp = undefined
    virtualizer.setOptions(optionsOf(lastShown))
    note()
  }

  function note(): void {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = log() ?? {}
    isAtEnd.value = scrollHeight - scrollTop - clientHeight <= endPx
  }

  return {
    isAtEnd,
    /** Whether one was here before, somewhere else than at the end. */
    isBack: position !== undefined,
    /** The rows to be rendered. */
    update(shown: Shown): readonly VirtualItem[] {
      if (shown.rows !== rows) {
        catchUp()
        // Over some frames virtual-core goes to an index: to the row that has it then.
        // biome-ignore lint/complexity/useLiteralKeys: it is private
        const scroll = virtualizer['scrollState']
        const target = scroll?.index == null || scroll.toEnd ? undefined : keyOf(scroll.index)
        estimateSent(shown.rows)
        rows = shown.rows
        indexes = new Map(shown.rows.map(({ key }, index) => [key, index]))
        if (scroll && target !== undefined) scroll.index = indexes.get(target) ?? scroll.index
        keyOf = (index) => shown.rows[index]?.key ?? ''
      }
      hasNewer = shown.hasNewer
      lastShown = shown
      virtualizer.setOptions(optionsOf(shown))
      items = virtualizer.getVirtualItems()
      return items
    },
    /** To be called when they are rendered. */
    rendered(): void {
      elements.update(list(), keyOf)
      const isAtOnce = isMeasuredAtOnce()
      if (isAtOnce) resize(elements.measure())
      place()
      virtualizer._willUpdate()
      // During a scroll, its next event calls `note`.
      if (isAtOnce) note()
    },
    /** To be called before a text in a row is folded or shown whole: what is in sight of the row stays where it is. */
    beforeFold(index: number, isFolding: boolean): void {
      const key = keyOf(index)
      const { start = 0 } = virtualizer.measurementsCache[index] ?? {}
      folded = { key, size: virtualizer.itemSizeCache.get(key), isFolding }
      growsUp = isFolding && start < (virtualizer.scrollOffset ?? 0) ? key : undefined
      virtualizer.setOptions(optionsOf(lastShown))
    },
    /** To be called when one has scrolled. */
    note,
    toEnd(): void {
      isAtEnd.value = true
      virtualizer.scrollToEnd()
    },
    /** Brings a row into the middle. */
    show(index: number): void {
      virtualizer.scrollToIndex(index, { align: 'center' })
      note()
    },
    /** The row at a distance from the top of another one. */
    indexAt(index: number, distance: number): number {
      const offset = (virtualizer.measurementsCache[index]?.start ?? 0) + distance
      return listFrom(offset)[0]?.index ?? 0
    },
    /** The last row in sight. */
    lastInSight(): number {
      return listFrom(virtualizer.scrollOffset ?? 0).at(-1)?.index ?? -1
    },
    /** The message in the middle of what is in sight. */
    inMiddle(): string | undefined {
      const inSight = listFrom(virtualizer.scrollOffset ?? 0)
      const messages = inSight.filter(({ index }) => rows[index]?.kind === 'message')
      return messages.length > 0 ? String(messages[messages.length >> 1]!.key) : undefined
    },
    elementAt(index: number): HTMLElement | undefined {
      return elements.get(keyOf(index))
    },
    /** Lets go of the page, and gives where one is if that is not the end. */
    close(): Position | undefined {
      const offset = virtualizer.scrollOffset ?? 0
      const inSight = listFrom(offset).map(({ key, start }) => ({ key: String(key), top: start - offset }))
      const sizes = new Map(virtualizer.takeSnapshot().map(({ key, size }) => [key, size]))
      virtualizer._didMount()()
      elements.close()
      if (nextFrame !== undefined) cancelAnimationFrame(nextFrame)
      return isAtEnd.peek() ? undefined : { inSight, sizes }
    },
  }
}
