import type { Relay } from '../../src/events/relay.ts'

/** What becomes of one text on its way to one process: after how many ms it arrives, each of the times it does. */
export type Way = (text: string) => number[]

/** Relays among each other, over ways that nobody should have to rely on. */
export function relayDoubles(way: Way, sendsLog = false): () => Relay {
  const receivers = new Map<Relay, (text: string) => void>()
  return () => {
    const relay: Relay = {
      sendsLog,
      async send(text) {
        for (const other of receivers.keys()) {
          if (other === relay) continue
          for (const ms of way(text)) setTimeout(() => receivers.get(other)?.(text), ms)
        }
      },
      listen(receive) {
        receivers.set(relay, receive)
      },
      async close() {
        receivers.delete(relay)
      },
    }
    return relay
  }
}
