import { effect } from '@preact/signals'
import { ApiError } from '../../client/errors.ts'
import { newNonce } from '../../client/message-bodies.ts'
import { normalizeMessage } from '../../client/messages.ts'
import { checkConnection, connections, onEvent, serverIsBack } from '../connection.ts'
import { api, countUnsent, rememberOwner, tokenOwner } from '../session.ts'
import { createOutbox } from '../state/outbox.ts'
import { openOutboxStorage } from '../state/outbox-storage.ts'
import { store } from '../state/store.ts'
import { showMessage } from './loading.ts'
import { type Replied, replyFields } from './replying.ts'

/** The messages of this device that are on their way. */
export const outbox = createOutbox({
  storage: openOutboxStorage(),
  send: async ({ room_id, content, nonce, exploding_age, reply_to, reply_mention }) => {
    const params = { id: room_id }
    const exploding = exploding_age === undefined ? {} : { exploding: true, exploding_age }
    const reply = reply_to && { reply_to_id: reply_to.id, ...(reply_mention === false && { reply_mention }) }
    const body = { content, nonce, ...exploding, ...reply }
    const query = { extended: 'true' } as const
    try {
      // The wait is seen: it is the outbox's.
      return normalizeMessage(await api.call('sendMessage', { params, query, body, rateLimitWaitMs: 0 }))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unreachable') checkConnection()
      throw error
    }
  },
  onSent: (message) => {
    const shown = showMessage(message)
    serverIsBack()
    return shown
  },
})

/** Takes up what an earlier visit left, and goes on whenever there is a connection again. */
export function startSending(): void {
  countUnsent('messages', () => outbox.entries.peek().filter(({ message_id }) => !message_id).length)
  effect(() => {
    const userId = store.me.value?.id ?? tokenOwner()
    if (store.me.value) rememberOwner(store.me.value.id)
    if (userId === undefined) outbox.forget()
    else if (userId !== restoredFor) void outbox.restore(userId)
    restoredFor = userId
  })
  effect(() => {
    if (connections.value > 0) outbox.resume()
  })
  onEvent(({ e, d }) => {
    if (e === 'MESSAGE_CREATE' && d.author_id === store.me.peek()?.id) outbox.received(normalizeMessage(d))
  })
}

let restoredFor: string | undefined

type SendOptions = { age?: number; replied?: Replied | undefined }

/** Sends a message, now or once there is a connection; one with an age, in seconds, explodes. */
export function sendMessage(roomId: string, content: string, { age = 0, replied }: SendOptions = {}): void {
  const userId = store.me.peek()?.id
  if (userId === undefined) return
  void outbox.add({
    nonce: newNonce(),
    user_id: userId,
    room_id: roomId,
    content,
    ...(age > 0 && { exploding_age: age }),
    ...(replied && replyOf(replied)),
  })
}

function replyOf(replied: Replied) {
  const { reply_to_id: _, ...mention } = replyFields(replied)
  const { id, author, content } = replied
  return { reply_to: { id, author, content }, ...mention }
}
