import type { OutboxEntry } from '../state/outbox.ts'
import type { User } from '../state/state.ts'
import { t } from '../texts/texts.ts'
import { Content } from './content.tsx'
import { CopyText } from './copy-text.tsx'
import { MessageFrame } from './message.tsx'
import { Quote } from './quote.tsx'
import { asRead } from './references.ts'
import { outbox } from './sending.ts'

type UnsentProps = { entry: OutboxEntry; author: User; isFollowing: boolean }

/** A message on its way, where it will stand. */
export function Unsent({ entry, author, isFollowing }: UnsentProps) {
  const { nonce, room_id, content, state, reply_to, failure = '', failure_message } = entry
  const isFailed = state === 'failed'
  return (
    <MessageFrame
      id={nonce}
      roomId={room_id}
      author={author}
      isFollowing={isFollowing}
      state={isFailed ? 'failed' : 'waiting'}
    >
      {reply_to && <Quote of={reply_to} roomId={room_id} />}
      <Content message={{ id: nonce, room_id, content, mentions: [] }} />
      {isFailed ? (
        <p class="failure" role="alert">
          {t().notSent} {t().notSentErrors[failure] ?? t().errors[failure] ?? failure_message}{' '}
          <button type="button" class="link" onClick={() => void outbox.retry(nonce)}>
            {t().tryAgain}
          </button>
          {' · '}
          <CopyText of={asRead(content)} />
          {' · '}
          <button type="button" class="link" onClick={() => void outbox.discard(nonce)}>
            {t().remove}
          </button>
        </p>
      ) : (
        <p class="message-time visually-hidden">{t().sending}</p>
      )}
    </MessageFrame>
  )
}
