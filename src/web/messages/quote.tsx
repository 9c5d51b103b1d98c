import { BotMark } from '../houses/bot-mark.tsx'
import { pathOf } from '../places.ts'
import { placeOf } from '../rooms/rooms.ts'
import { Icon } from '../shell/icon.tsx'
import type { ReplyTo } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { isFolded } from './blocked.tsx'
import { lineOf } from './plain-text.ts'
import { cancelReply, type Replied } from './replying.ts'

type QuoteProps = { of: ReplyTo; roomId: string }

/** What a message replies to, as the way to it. */
export function Quote({ of: { id, author, content }, roomId }: QuoteProps) {
  const room = store.rooms.value[roomId]
  if (!author || content === null || !room) return <p class="quote muted">{t().repliedGone}</p>
  if (isFolded({ id, author_id: author.id })) {
    return (
      <a class="quote muted" href={pathOf(placeOf(room, id))}>
        {t().blockedMessage}
      </a>
    )
  }
  const { name } = store.users.value[author.id] ?? author
  // What it is called is known only of a message that is loaded.
  const replied = store.timelines.value[roomId]?.messages.find((each) => each.id === id)
  return (
    <a class="quote" href={pathOf(placeOf(room, id))}>
      <span class="visually-hidden">{t().inReplyTo} </span>
      <bdi class="quote-author">{name}</bdi> <BotMark of={author} />
      <span class="cut" dir="auto">
        {lineOf(content, [], replied)}
      </span>
    </a>
  )
}

/** Above the field where one writes: what that will reply to. */
export function Replying({ to }: { to: Replied }) {
  const { author, content, mentions, room_id } = to
  const { name } = store.users.value[author.id] ?? author
  return (
    <div class="replying">
      <Icon name="reply" />
      <p class="cut">
        <span role="status">{t().replyingTo(name)}</span>{' '}
        <span class="muted" dir="auto">
          {lineOf(content, mentions, to)}
        </span>
      </p>
      <button type="button" class="plain" aria-label={t().cancelReply} onClick={() => cancelReply(room_id)}>
        <Icon name="close" />
      </button>
    </div>
  )
}
