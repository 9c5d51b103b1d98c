import type { HearthEvent } from './events.ts'
import { joinPeers, type PeerSettings } from './peers.ts'
import { type Presence, setPresence } from './presence.ts'
import type { Relay } from './relay.ts'

/** What an operation gives back: the answer, and what happened, to be published once it is committed. */
export type Outcome<Answer> = { answer: Answer; events: HearthEvent[] }

export type Listener = (event: HearthEvent) => void | Promise<void>

/** Carries what happened from the operations to the gateways of all processes. */
export type Bus = {
  /** Whether other processes publish to it as well, or once did: their events and ours may come in another order than they happened. */
  readonly isShared: boolean
  /** Hands events to every listener, in order; settled when the local listeners have dealt with them. */
  publish(events: readonly HearthEvent[]): Promise<void>
  /** Returns how to stop listening. */
  subscribe(listener: Listener): () => void
  /** A user came to the gateway of this process, or left it; published where that changes if they are online. */
  setPresence(userId: string, presence: Presence): void
  /** Takes leave of the other processes. */
  close(): Promise<void>
}

/** A bus of this process alone, or of all that share a relay. */
export function createBus(relay?: Relay, peering?: Partial<PeerSettings>): Bus {
  const listeners = new Set<Listener>()
  const peers = relay && joinPeers(relay, deliver, peering)

  async function deliver(events: readonly HearthEvent[]): Promise<void> {
    // Every listener has all of them at once: nothing that is published later comes between.
    const done = events.flatMap((event) => [...listeners].map((listener) => listener(event)))
    await Promise.all(done)
  }

  return {
    get isShared() {
      return peers?.isShared ?? false
    },
    async publish(events) {
      await Promise.all([deliver(events), peers?.publish(events)])
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    setPresence(user_id, presence) {
      if (setPresence(user_id, presence)) void deliver([{ type: 'presence_changed', user_id, presence }])
      peers?.publishPresence(user_id, presence)
    },
    async close() {
      await peers?.close()
    },
  }
}
