import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import {
  type FoldEvent,
  type FoldKind,
  foldEvent,
  foldedPx,
  leastHiddenPx,
  mayBeTall,
  seemsTall,
  setUnfolded,
  unfolded,
} from './folding.ts'

type FoldProps = { id: string; kind: FoldKind; text: string; children: ComponentChildren }

/** What shows a text, in a fold if the text may be tall. */
export function Foldable({ children, ...fold }: FoldProps): ComponentChildren {
  return mayBeTall(fold.text) ? <Fold {...fold}>{children}</Fold> : children
}

/** A text that is cut past a height. Its button shows the rest, as does the focus or a hit of the browser's search in it. */
function Fold({ id, kind, text: source, children }: FoldProps) {
  const boxId = useId()
  const root = useRef<HTMLDivElement>(null)
  const text = useRef<HTMLDivElement>(null)
  const [isLikelyTall] = useState(() => seemsTall(source, kind))
  const isUnfolded = unfolded.value.has(id)

  // To measure it here would have the page laid out once more for each text that scrolls in.
  useLayoutEffect(() => {
    const element = text.current
    if (!element) return
    const note = (height: number) => {
      root.current?.toggleAttribute('data-tall', height > foldedPx[kind] + leastHiddenPx)
    }
    const observer = new ResizeObserver(([entry]) => note(entry!.borderBoxSize[0]!.blockSize))
    observer.observe(element)
    return () => observer.disconnect()
  }, [kind])

  const set = (isUnfolded: boolean) => {
    const event: FoldEvent = new CustomEvent(foldEvent, { detail: { isFolding: !isUnfolded }, bubbles: true })
    root.current?.dispatchEvent(event)
    setUnfolded(id, isUnfolded)
  }

  return (
    <div
      ref={root}
      class="fold"
      data-kind={kind}
      data-tall={isLikelyTall ? '' : undefined}
      data-unfolded={isUnfolded ? '' : undefined}
    >
      <div
        id={boxId}
        class="fold-box"
        onScroll={({ currentTarget }) => {
          if (currentTarget.scrollTop === 0) return
          currentTarget.scrollTop = 0
          set(true)
          requestAnimationFrame(() => {
            if (currentTarget.contains(document.activeElement))
              document.activeElement?.scrollIntoView({ block: 'nearest' })
          })
        }}
      >
        <div ref={text} class="fold-text">
          {children}
        </div>
      </div>
      <button
        type="button"
        class="link fold-toggle"
        aria-expanded={isUnfolded}
        aria-controls={boxId}
        onClick={() => set(!isUnfolded)}
      >
        {isUnfolded ? t().showLess : t().showAll}
      </button>
    </div>
  )
}
