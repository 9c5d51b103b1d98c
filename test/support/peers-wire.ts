import type { HearthEvent } from '../../src/events/events.ts'
import { joinPeers, type PeerSettings } from '../../src/events/peers.ts'
import type { Relay } from '../../src/events/relay.ts'

/** A wire between processes of this test; one that is cut loses everything, and so many `failures` are noticed. */
export function newWire() {
  const receivers = new Map<object, (text: string) => void>()
  const sent: string[] = []
  const wire = { isCut: false, failures: 0, sent, send, open }

  function send(text: string, sender?: object): void {
    sent.push(text)
    if (!wire.isCut) for (const [one, receive] of receivers) if (one !== sender) receive(text)
  }

  function open(): Relay {
    const self = {}
    return {
      async send(text) {
        wire.failures -= 1
        if (wire.failures >= 0) throw new Error('the relay is away')
        send(text, self)
      },
      listen: (receive) => receivers.set(self, receive),
      close: async () => void receivers.delete(self),
    }
  }
  return wire
}

type Wire = ReturnType<typeof newWire>

/** An event that no process waits for. */
export const happened: HearthEvent = {
  type: 'typing_started',
  room_id: '1',
  house_id: null,
  author_id: '2',
  timestamp: 3,
}

/** What a process is delivered when something of another one did not come. */
export const lost: HearthEvent = { type: 'events_lost' }

/** A process on the wire, and the events that it was delivered. */
export function join(wire: Wire, settings: Partial<PeerSettings> = {}) {
  const delivered: HearthEvent[] = []
  const peers = joinPeers(wire.open(), async (events) => void delivered.push(...events), settings)
  return { peers, delivered }
}
