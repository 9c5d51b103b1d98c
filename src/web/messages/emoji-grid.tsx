import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { bestMatches } from '../shell/best-matches.ts'
import { t } from '../texts/texts.ts'
import { allEmoji, type Emoji, loadEmoji } from './emoji.ts'

const columns = 8
const mostFound = 64

type GridProps = { choose: (emoji: string) => void }

/** All emoji, with a search; moved in by arrows. */
export function EmojiGrid({ choose }: GridProps) {
  const isMissing = useSignal(false)
  const search = useRef<HTMLInputElement>(null)
  const query = useSignal('')
  const list = useRef<HTMLDivElement>(null)
  const found =
    query.value === ''
      ? [...Map.groupBy(allEmoji.value, ({ group }) => group)]
      : ([[-1, bestMatches(allEmoji.value, namesOf, query.value, mostFound)]] as [number, Emoji[]][])
  useLayoutEffect(() => {
    // Opened to look for one.
    search.current?.focus()
    loadEmoji().catch(() => {
      isMissing.value = true
    })
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (move(list.current!, event)) event.preventDefault()
  }
  return (
    <>
      <input
        ref={search}
        type="search"
        aria-label={t().searchEmoji}
        placeholder={t().searchEmoji}
        onInput={(event) => {
          query.value = event.currentTarget.value.trim()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && found[0]?.[1][0]) choose(found[0][1][0].text)
          if (event.key === 'Enter') event.preventDefault()
          if (event.key === 'ArrowDown') onKeyDown(event)
        }}
      />
      {isMissing.value && <p class="failure">{t().errors.unreachable}</p>}
      {!isMissing.value && allEmoji.value.length === 0 && <p class="muted">{t().loading}</p>}
      {query.value !== '' && found[0]?.[1].length === 0 && <p class="muted">{t().noHits}</p>}
      <div
        ref={list}
        class="emoji-list"
        role="listbox"
        aria-label={t().emoji}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        {found.map(([group, emoji], at) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset does not belong into a list of options
          <div key={group} class="emoji-group" role="group" aria-label={t().emojiGroups[group] ?? t().search}>
            {emoji.map(({ text, label }, each) => (
              <button
                key={text}
                type="button"
                class="plain"
                role="option"
                aria-selected={false}
                tabIndex={at === 0 && each === 0 ? 0 : -1}
                aria-label={label}
                title={label}
                onClick={() => choose(text)}
              >
                {text}
              </button>
            ))}
          </div>
        ))}
      </div>
    </>
  )
}

function namesOf({ names, label }: Emoji): string[] {
  return [...names, label]
}

/** Moves the focus by arrows. Whether there was something to do. */
function move(list: HTMLElement, { key }: KeyboardEvent): boolean {
  const steps: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
  }
  const step = steps[key]
  if (step === undefined) return false
  const all = [...list.querySelectorAll<HTMLElement>('[role="option"]')]
  const at = all.indexOf(document.activeElement as HTMLElement)
  all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + step))]?.focus()
  return true
}
