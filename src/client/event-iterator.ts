import type { GatewayEvent } from './events.ts'
import type { GatewayState } from './gateway-state.ts'

/** The server closed the gateway with a code after which a retry is useless: the token is not valid. */
export class GatewayRefused extends Error {
  readonly code: number
  readonly reason: string

  constructor(code: number, reason: string) {
    super(`The gateway closed with ${code} (${reason})`)
    this.name = 'GatewayRefused'
    this.code = code
    this.reason = reason
  }
}

type Source = {
  readonly state: GatewayState
  onEvent(listener: (event: GatewayEvent) => void): () => void
  onState(listener: (state: GatewayState) => void): () => void
}

/** Iterates over the events of a gateway from now on. Events are queued until they are read. */
export function eventIterator(source: Source): AsyncIterableIterator<GatewayEvent> {
  const queue: GatewayEvent[] = []
  let wake = () => {}
  let end: GatewayState | 'left' | undefined
  const removers = [
    source.onEvent((event) => {
      queue.push(event)
      wake()
    }),
    source.onState((state) => {
      if (state.name === 'closed') finish(state)
    }),
  ]

  function finish(reason: NonNullable<typeof end>): void {
    end = reason
    for (const remove of removers) remove()
    wake()
  }
  async function next(): Promise<IteratorResult<GatewayEvent, undefined>> {
    while (queue.length === 0 && end === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    const event = queue.shift()
    if (event) return { done: false, value: event }
    if (typeof end === 'object' && end.name === 'closed' && end.code !== undefined) {
      const { code, reason = '' } = end
      end = 'left'
      throw new GatewayRefused(code, reason)
    }
    return { done: true, value: undefined }
  }
  return {
    next,
    async return() {
      queue.length = 0
      finish('left')
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
