import type { Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useId } from 'preact/hooks'
import { t } from '../../texts/texts.ts'
import { filterValue, hasFilter, setFilter, toggleFilter } from './search-text.ts'

const toggles = ['has:file', 'has:picture', 'has:link', 'has:mention', 'is:pinned'] as const
const begun = ['from', 'in'] as const
const days = ['after', 'before'] as const

/** A value that a field for days can show; empty if there is none. */
function dayOf(value: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : ''
}

type FiltersProps = { q: Signal<string>; field: RefObject<HTMLInputElement | null> }

/** The filters of the search text, as buttons and dates that write them. */
export function Filters({ q, field }: FiltersProps) {
  const id = useId()
  const begin = (name: string) => {
    q.value = `${q.value.trim()} ${name}:`.trimStart()
    field.current?.focus()
  }
  return (
    <fieldset class="filters">
      <legend>{t().searchFilters.title}</legend>
      {toggles.map((filter) => (
        <button
          key={filter}
          type="button"
          aria-pressed={hasFilter(q.value, filter)}
          onClick={() => {
            q.value = toggleFilter(q.value, filter)
          }}
        >
          {t().searchFilters[filter]}
        </button>
      ))}
      {begun.map((name) => (
        <button key={name} type="button" onClick={() => begin(name)}>
          {t().searchFilters[name]}
        </button>
      ))}
      <div class="days">
        {days.map((name) => (
          <label key={name} for={`${id}-${name}`}>
            {t().searchFilters[name]}
            <input
              id={`${id}-${name}`}
              type="date"
              value={dayOf(filterValue(q.value, name))}
              onInput={({ currentTarget }) => {
                q.value = setFilter(q.value, name, currentTarget.value)
              }}
            />
          </label>
        ))}
      </div>
    </fieldset>
  )
}
