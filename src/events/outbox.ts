import type { Relay } from './relay.ts'

const retryMs = 200
/** How long a text is sent again when that fails. The messages are lost then, and the others notice by their counts. */
const triedForMs = 5_000

/** Sends messages to the other processes, in order. */
type Outbox<Message> = {
  /** When something was last sent, by `performance.now()`. */
  readonly lastSentMs: number
  /** When something could last not be sent, likewise; 0 when everything could. */
  readonly lastFailedMs: number
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
  let lastFailedMs = 0

  async function sendWaiting(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      await sendText(JSON.stringify(waiting.splice(0)))
    }
    isSending = false
  }

  async function sendText(text: string): Promise<void> {
    const deadline = performance.now() + triedForMs
    while (!(await isSent(text)) && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref())
    }
  }

  function isSent(text: string): Promise<boolean> {
    return relay.send(text).then(
      () => true,
      () => {
        lastFailedMs = performance.now()
        return false
      },
    )
  }

  return {
    get lastSentMs() {
      return lastSentMs
    },
    get lastFailedMs() {
      return lastFailedMs
    },
    send(message) {
      lastSentMs = performance.now()
      waiting.push(message)
      if (!isSending) sending = sendWaiting()
    },
    drained: () => sending,
  }
}
