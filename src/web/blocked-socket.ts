import { signal } from '@preact/signals'

/** Failed attempts in a row after which a block is suspected: a server that starts or stops refuses one as well. */
const suspectedAfter = 2

type Ended = { greeted: boolean; reason: string }

/**
 * Tells a blocked websocket from a server that is away: attempts end without the hello of the gateway, though a request
 * that is sent then is answered. `ask` sends one, and throws without an answer.
 */
export function watchSocket(ask: () => Promise<void>) {
  const isBlocked = signal(false)
  let refusals = 0
  return {
    isBlocked,
    /** To be called when an attempt has failed, or a connection was lost. */
    async ended({ greeted, reason }: Ended): Promise<void> {
      refusals = greeted ? 0 : refusals + 1
      if (greeted) isBlocked.value = false
      // An open connection without a hello has waited for the whole timeout: one is enough.
      const isSuspected = refusals >= suspectedAfter || (!greeted && reason === 'no hello')
      if (!isSuspected) return
      const before = refusals
      const isAnswered = await ask().then(
        () => true,
        () => false,
      )
      if (refusals === before) isBlocked.value = isAnswered
    },
    connected(): void {
      refusals = 0
      isBlocked.value = false
    },
  }
}
