import type { HearthEvent } from './events.ts'
import { joinPeers, type PeerSettings } from './peers.ts'
import { forgetPresence, type Presence, setPresence } from './presence.ts'
import type { Relay } from './relay.ts'

/**
 * What an operation returns: the answer, and the events to be published after its commit. The work of its transaction
 * returns them, even if that is a single statement: only so are they heard of when the commit is not answered
 * (`doubts.ts`).
 */
export type Outcome<Answer> = { answer: Answer; events: HearthEvent[] }

type Listener = (event: HearthEvent) => void | Promise<void>

/** Carries events from the operations to the gateways of all processes. */
export type Bus = {
  /**
   * Whether other processes publish to it as well, or ever have: their events may arrive later than what happened after
   * them.
   */
  readonly isShared: boolean
  /** Hands events to every listener, in order; settled when the local listeners have dealt with them. */
  publish(events: readonly HearthEvent[]): Promise<void>
  /** Returns how to stop listening. */
  subscribe(listener: Listener): () => void
  /** A user came online, or went offline, at the gateway of this process; published if that changes their presence. */
  setPresence(userId: string, presence: Presence): void
  /** A deleted user counts as offline, whatever other processes say; published if that changes their presence. */
  forgetPresence(userId: string): void
  /** Says goodbye to the other processes. */
  close(): Promise<void>
}

/** A bus of this process alone, or of all that share a relay. */
export function createBus(relay?: Relay, peering?: Partial<PeerSettings>): Bus {
  const listeners = new Set<Listener>()
  const peers = relay && joinPeers(relay, deliver, peering)

  async function deliver(events: readonly HearthEvent[]): Promise<void> {
    // All events are given to the listeners in the same turn, so that no later ones come in between.
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
    forgetPresence(user_id) {
      if (forgetPresence(user_id)) void deliver([{ type: 'presence_changed', user_id, presence: 'offline' }])
    },
    async close() {
      await peers?.close()
    },
  }
}
