import { plural, t } from '../texts/texts.ts'
import { Foldable } from './fold.tsx'
import { asRead } from './references.ts'
import { outbox } from './sending.ts'

/** What waits to be sent, where the rooms that it belongs to are not known yet. */
export function Waiting() {
  const entries = outbox.entries.value.filter(({ message_id }) => !message_id)
  if (entries.length === 0) return null
  return (
    <section class="waiting">
      <h2>{plural(t().waitingMessages, entries.length)}</h2>
      <ul>
        {entries.map(({ nonce, content }) => (
          <li key={nonce}>
            <Foldable id={nonce} kind="message" text={content}>
              <p class="content" dir="auto">
                {asRead(content)}
              </p>
            </Foldable>
          </li>
        ))}
      </ul>
    </section>
  )
}
