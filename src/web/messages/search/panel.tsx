import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../shell/icon.tsx'
import { closeSearch } from '../../shell/layout.ts'
import { isWide } from '../../shell/media.ts'
import type { Room } from '../../state/state.ts'
import { t } from '../../texts/texts.ts'
import { SearchForm } from './form.tsx'

/** The search beside the conversation, or instead of it where there is no room for both. Key it by the house or private room. */
export function SearchPanel({ room }: { room: Room }) {
  const before = useRef(document.activeElement)
  useEffect(
    () => () => {
      const { activeElement, body } = document
      if (activeElement === body && before.current instanceof HTMLElement) before.current.focus()
    },
    [],
  )
  const [Part, Heading] = isWide.value ? (['aside', 'h2'] as const) : (['main', 'h1'] as const)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    closeSearch()
  }
  return (
    // If "More" with its focus goes, the panel gets it, not the composer.
    <Part class="search" aria-label={t().search} tabIndex={-1} onKeyDown={onKeyDown}>
      <header class="page-head">
        {!isWide.value && (
          <button type="button" class="plain" aria-label={t().back} onClick={closeSearch}>
            <Icon name="back" />
          </button>
        )}
        <Heading>{t().search}</Heading>
        {isWide.value && (
          <button type="button" class="plain" aria-label={t().close} onClick={closeSearch}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <SearchForm room={room} />
    </Part>
  )
}
