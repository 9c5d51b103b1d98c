import type { Relay } from '../../src/events/relay.ts'

/** The delays in ms after which one process receives a text: none if it is lost, several if it is duplicated. */
export type DeliveryDelays = (text: string) => number[]

/** Relays in one process that may lose or delay messages. */
export function relayDoubles(delaysOf: DeliveryDelays, sendsLog = false): () => Relay {
  const receivers = new Map<Relay, (text: string) => void>()
  return () => {
    const relay: Relay = {
      sendsLog,
      async send(text) {
        for (const other of receivers.keys()) {
          if (other === relay) continue
          for (const ms of delaysOf(text)) setTimeout(() => receivers.get(other)?.(text), ms)
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
