import { useSignal } from '@preact/signals'
import { offerUndo } from '../shell/announcement.tsx'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { CopyText } from './copy-text.tsx'
import { keepDraft, listDrafts } from './drafts.ts'
import { Foldable } from './fold.tsx'
import { asRead } from './references.ts'
import { outbox } from './sending.ts'
import { discard } from './unsent.tsx'

/** What one has written and not sent in rooms that are not there any more. */
export function LeftTexts() {
  const deletions = useSignal(0)
  // Drafts are no signals.
  deletions.value
  const areHousesComing = store.houseOrder.value.some((id) => !(id in store.houses.value))
  const isGone = (roomId: string) => !areHousesComing && !(roomId in store.rooms.value)
  const refused = outbox.entries.value.filter(({ room_id, state }) => state === 'failed' && isGone(room_id))
  const texts = [
    ...refused.map((entry) => ({
      key: entry.nonce,
      text: asRead(entry.content),
      remove: () => discard(entry),
    })),
    ...listDrafts()
      .filter(({ roomId }) => isGone(roomId))
      .map(({ roomId, part, text }) => ({
        key: `${roomId} ${part}`,
        text,
        remove: () => {
          const keep = async (kept: string) => {
            keepDraft(roomId, kept, part)
            deletions.value += 1
          }
          void keep('')
          offerUndo(t().discarded, () => keep(text))
        },
      })),
  ]
  if (texts.length === 0) return null
  return (
    <section class="waiting">
      <h2>{t().leftTexts}</h2>
      <ul>
        {texts.map(({ key, text, remove }) => (
          <li key={key}>
            <Foldable id={key} kind="message" text={text}>
              <p class="content" dir="auto">
                {text}
              </p>
            </Foldable>
            <CopyText of={text} />
            {' · '}
            <button type="button" class="link" onClick={remove}>
              {t().remove}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
