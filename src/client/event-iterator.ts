import type { GatewayEvent } from './events.ts'
import type { GatewayState } from './gateway-state.ts'

/** The server refused the gateway for good: the token is not, or no longer, valid. */
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

/** The events of a gateway from now on, kept until they are taken. */
export function eventIterator(source: Source): AsyncIterableIterator<GatewayEvent> {
  const kept: GatewayEvent[] = []
  let wake = () => {}
  let end: GatewayState | 'left' | undefined
  const removers = [
    source.onEvent((event) => {
      kept.push(event)
      wake()
    }),
    source.onState((state) => {
      if (state.name === 'closed') finish(state)
    }),
  ]

  function finish(how: NonNullable<typeof end>): void {
    end = how
    for (const remove of removers) remove()
    wake()
  }
  async function next(): Promise<IteratorResult<GatewayEvent, undefined>> {
    while (kept.length === 0 && end === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    const event = kept.shift()
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
      kept.length = 0
      finish('left')
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
