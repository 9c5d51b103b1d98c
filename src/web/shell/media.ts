import { signal } from '@preact/signals'

function follow(query: string) {
  const list = matchMedia(query)
  const matches = signal(list.matches)
  list.addEventListener('change', () => {
    matches.value = list.matches
  })
  return matches
}

/** One column at a time. */
export const isNarrow = follow('(max-width: 699px)')
/** A keyboard does not cover half of the page when it is there. */
export const hasMouse = follow('(pointer: fine)')
/** Room for the members beside the conversation. */
export const isWide = follow('(min-width: 1100px)')
