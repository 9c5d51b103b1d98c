import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { plural, t } from '../texts/texts.ts'

const tickMs = 250

/** Counts down until one may write again, in ms since 1970. Screen readers announce it once. */
export function TooFast({ until }: { until: number }) {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, tickMs)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(1, Math.ceil((until - now.value) / 1000))
  const first = useRef(seconds)
  return (
    <>
      <p class="too-fast failure" role="timer">
        {plural(t().tooFast, seconds)}
      </p>
      <p class="visually-hidden" role="alert">
        {plural(t().tooFast, first.current)}
      </p>
    </>
  )
}
