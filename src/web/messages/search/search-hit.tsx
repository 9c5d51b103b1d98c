import { BotMark } from '../../houses/bot-mark.tsx'
import { pathOf } from '../../places.ts'
import { placeOf, roomName } from '../../rooms/rooms.ts'
import type { Message } from '../../state/state.ts'
import { store } from '../../state/store.ts'
import { dayText, timeText } from '../../texts/dates.ts'
import { Folded, isFolded } from '../blocked.tsx'
import { lineOf } from '../plain-text.ts'
import { markWords, type Part } from './marks.ts'

/** So much of a text before the first marked word is shown, in code units. */
const shownBefore = 80

/** A message that a search found, with the words that were searched for marked, and the way to it. */
export function SearchHit({ message, q }: { message: Message; q: string }) {
  const { id, room_id, timestamp } = message
  const room = store.rooms.value[room_id]
  if (!room) return null
  return (
    <li class="hit">
      {isFolded(message) ? <Folded message={message} /> : <Said message={message} q={q} />}
      <a href={pathOf(placeOf(room, id))}>
        <bdi>{roomName(room)}</bdi>, {dayText(timestamp)} {timeText(timestamp)}
      </a>
    </li>
  )
}

function Said({ message, q }: { message: Message; q: string }) {
  const { author, content, mentions, attachment } = message
  return (
    <>
      <p class="message-author">
        <bdi>{author.name}</bdi> <BotMark of={author} />
      </p>
      {content !== '' && <Marked text={lineOf(content, mentions)} q={q} />}
      {attachment !== null && <Marked text={attachment.filename} q={q} />}
    </>
  )
}

function Marked({ text, q }: { text: string; q: string }) {
  return (
    <p class="hit-text" dir="auto">
      {excerpt(markWords(text, q)).map((part) => (part.isMarked ? <mark>{part.text}</mark> : part.text))}
    </p>
  )
}

/** Without most of a long beginning that has no marked word. */
function excerpt([first, ...rest]: Part[]): Part[] {
  if (!first || first.isMarked || rest.length === 0 || first.text.length <= shownBefore * 1.5) {
    return first ? [first, ...rest] : []
  }
  const from = first.text.indexOf(' ', first.text.length - shownBefore)
  const shown = [...first.text.slice(from === -1 ? -shownBefore : from + 1)]
  // A code unit alone is half of a letter.
  const text = (/^[\uDC00-\uDFFF]/.test(shown[0] ?? '') ? shown.slice(1) : shown).join('')
  return [{ text: `… ${text}`, isMarked: false }, ...rest]
}
