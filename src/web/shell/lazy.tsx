import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../texts/texts.ts'

/** A component that is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<{ component: ComponentType<Props> } | undefined>(undefined)
  const hasFailed = signal(false)
  const start = () => {
    hasFailed.value = false
    load().then(
      (component) => {
        loaded.value = { component }
      },
      () => {
        hasFailed.value = true
      },
    )
  }
  return function Lazy(props: Props) {
    useEffect(() => {
      if (!loaded.peek()) start()
    }, [])
    const Component = loaded.value?.component
    if (Component) return <Component {...props} />
    if (!hasFailed.value) return <p class="muted">{t().loading}</p>
    return (
      <p role="alert">
        {t().errors.unreachable}{' '}
        <button type="button" onClick={start}>
          {t().tryAgain}
        </button>
      </p>
    )
  }
}
