import { useSignal } from '@preact/signals'
import { useCallback, useEffect } from 'preact/hooks'
import { errorText } from '../texts/texts.ts'

/** What a call answers, once it has; anew when one of `dependencies` changes, and by `reload`. */
export function useLoaded<Value>(load: () => Promise<Value>, dependencies: readonly unknown[] = []) {
  const value = useSignal<Value | undefined>(undefined)
  const failure = useSignal('')
  const reload = useCallback(async () => {
    try {
      value.value = await load()
      failure.value = ''
    } catch (error) {
      failure.value = errorText(error)
    }
  }, dependencies)
  useEffect(() => void reload(), dependencies)
  return { value: value.value, failure: failure.value, reload }
}
