import { effect } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Message } from '../state/state.ts'
import { change, store } from '../state/store.ts'
import { nextExplosion, withoutExploded } from '../state/timeline.ts'
import { timeText } from '../texts/dates.ts'
import { t } from '../texts/texts.ts'
import { serverNow } from './server-clock.ts'

/** Timers take no longer ones. */
const longestMs = 2 ** 31 - 1

/** Lets messages disappear when their time has run out, without waiting for the server to say so. */
export function startExploding(): void {
  effect(() => {
    const next = nextExplosion(store.timelines.value)
    if (next === undefined) return
    const wait = () => {
      const rest = next - serverNow()
      if (rest > 0) timer = setTimeout(wait, Math.min(rest, longestMs))
      else change({ timelines: withoutExploded(store.timelines.peek(), serverNow()) })
    }
    let timer = setTimeout(wait, 0)
    return () => clearTimeout(timer)
  })
}

/** When a message explodes, with a ring that runs out until then. */
export function Fuse({ timestamp, explodes_at }: Pick<Message, 'timestamp'> & { explodes_at: number }) {
  // Set once: the ring runs by itself.
  const style = useMemo(
    () => ({
      animationDuration: `${explodes_at - timestamp}ms`,
      animationDelay: `${timestamp - serverNow()}ms`,
    }),
    [timestamp, explodes_at],
  )
  return (
    <p class="fuse">
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" />
        <circle class="fuse-left" cx="8" cy="8" r="6" pathLength="100" style={style} />
      </svg>
      {t().explodes(timeText(explodes_at))}
    </p>
  )
}
