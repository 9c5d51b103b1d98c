import { useLoaded } from '../shell/use-loaded.ts'
import type { Message } from '../state/state.ts'
import { t } from '../texts/texts.ts'
import { listNames } from './reacting.ts'

/** So many people are named for each emoji. */
const mostNamed = 100

/** Who reacted to a message, emoji by emoji. */
export function Reactors({ message }: { message: Message }) {
  const { value, failure } = useLoaded(() =>
    Promise.all(
      (message.reactions ?? []).map(async ({ emoji, count }) => {
        return { emoji, count, names: await listNames(message, emoji, mostNamed) }
      }),
    ),
  )
  if (failure !== '') return <p role="alert">{failure}</p>
  if (!value) return <p class="muted">{t().loading}</p>
  return (
    <dl class="reactors">
      {value.map(({ emoji, count, names }) => (
        <div key={emoji}>
          <dt>
            {emoji} {count}
          </dt>
          <dd dir="auto">{names.join(', ') + (count > names.length ? '…' : '')}</dd>
        </div>
      ))}
    </dl>
  )
}
