import type { Relay } from './relay.ts'

/** Sends messages to the other processes, in order. */
export type Outbox<Message> = {
  /** When something was last sent, by `performance.now()`. */
  readonly lastSentMs: number
  send(message: Message): void
  /** Settles when everything has gone out. */
  drained(): Promise<void>
}

/** Messages that come while a text is being sent are sent together in the next one. */
export function createOutbox<Message>(relay: Relay): Outbox<Message> {
  const waiting: Message[] = []
  let isSending = false
  let sending = Promise.resolve()
  let lastSentMs = performance.now()

  async function sendWaiting(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      // While the relay is away these messages are lost: nothing here may wait for it.
      await relay.send(JSON.stringify(waiting.splice(0))).catch(() => {})
    }
    isSending = false
  }

  return {
    get lastSentMs() {
      return lastSentMs
    },
    send(message) {
      lastSentMs = performance.now()
      waiting.push(message)
      if (!isSending) sending = sendWaiting()
    },
    drained: () => sending,
  }
}
