import { signal } from '@preact/signals'

const shownMs = 3_000
const text = signal('')
let timer: number | undefined

/** Says for a moment that something is done which one does not see otherwise. */
export function announce(next: string): void {
  clearTimeout(timer)
  text.value = next
  timer = setTimeout(() => {
    text.value = ''
  }, shownMs)
}

/** Where that is said. */
export function Announcement() {
  return (
    <p class="announcement" role="status">
      {text.value}
    </p>
  )
}
