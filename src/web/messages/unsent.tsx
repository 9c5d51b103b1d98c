import { ApiError } from '../../client/errors.ts'
import { offerUndo } from '../shell/announcement.tsx'
import type { OutboxEntry } from '../state/outbox.ts'
import type { User } from '../state/state.ts'
import { errorText, t } from '../texts/texts.ts'
import { Content } from './content.tsx'
import { CopyText } from './copy-text.tsx'
import { MessageFrame } from './message.tsx'
import { Quote } from './quote.tsx'
import { asRead } from './references.ts'
import { outbox } from './sending.ts'

type UnsentProps = { entry: OutboxEntry; author: User; isFollowing: boolean }

/** A message on its way, where it will stand. */
export function Unsent({ entry, author, isFollowing }: UnsentProps) {
  const { nonce, room_id, content, state, reply_to } = entry
  const isFailed = state === 'failed'
  return (
    <MessageFrame
      id={nonce}
      roomId={room_id}
      author={author}
      isFollowing={isFollowing}
      parts={['text']}
      state={isFailed ? 'failed' : 'waiting'}
    >
      {reply_to && <Quote of={reply_to} roomId={room_id} />}
      <Content id={`${nonce}-text`} message={{ id: nonce, room_id, content, mentions: [] }} />
      {isFailed ? (
        <p id={`${nonce}-time`} class="failure" role="alert">
          {t().notSent} {reasonOf(entry)}{' '}
          <button type="button" class="link" onClick={() => void outbox.retry(nonce)}>
            {t().tryAgain}
          </button>
          {' · '}
          <CopyText of={asRead(content)} />
          {' · '}
          <button type="button" class="link" onClick={() => discard(entry)}>
            {t().remove}
          </button>
        </p>
      ) : (
        <p id={`${nonce}-time`} class="message-time visually-hidden">
          {t().sending}
        </p>
      )}
    </MessageFrame>
  )
}

function reasonOf({ failure = '', failure_message = '' }: OutboxEntry): string {
  return errorText(new ApiError({ code: failure, message: failure_message, status: 0 }), t().notSentErrors)
}

/** Gives a message up that was not sent. */
export function discard(entry: OutboxEntry): void {
  void outbox.discard(entry.nonce)
  offerUndo(t().discarded, () => outbox.keep(entry))
}
