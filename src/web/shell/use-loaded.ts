import { useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { errorText } from '../texts/texts.ts'

/** What a call answers, once it has; anew when one of `dependencies` changes, and by `reload`. */
export function useLoaded<Value>(load: () => Promise<Value>, dependencies: readonly unknown[] = []) {
  const value = useSignal<Value | undefined>(undefined)
  const failure = useSignal('')
  const asked = useRef(0)
  const reload = useCallback(async () => {
    asked.current += 1
    const turn = asked.current
    try {
      const loaded = await load()
      // An answer that comes after a later question is no longer wanted.
      if (turn !== asked.current) return
      value.value = loaded
      failure.value = ''
    } catch (error) {
      if (turn === asked.current) failure.value = errorText(error)
    }
  }, dependencies)
  useEffect(() => void reload(), dependencies)
  return { value: value.value, failure: failure.value, reload }
}
