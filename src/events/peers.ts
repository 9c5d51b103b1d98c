import { randomUUID } from 'node:crypto'
import { onceRead } from '../deadline.ts'
import { createAcknowledgements } from './acknowledgements.ts'
import type { HearthEvent } from './events.ts'
import { noticeLosses } from './losses.ts'
import { createOutbox } from './outbox.ts'
import { type Presence, setPresence, usersAt } from './presence.ts'
import type { Relay } from './relay.ts'

/** The messages between processes. `hello` asks who is online, `alive` is a heartbeat, `gone` a goodbye. */
type Message =
  | { type: 'events'; events: readonly HearthEvent[]; acknowledge?: number }
  | { type: 'acknowledged'; to: string; number: number }
  | { type: 'hello' | 'alive' | 'gone' }
  | { type: 'online'; users: string[] }
  | { type: 'presence'; user_id: string; presence: Presence }
/**
 * `from` is the sending process; one that does not join, such as a command, leaves it out. `count` is how many events
 * and presences it has sent so far, this one included: by that the others notice when one is missing.
 */
type Sent = Message & ({ from: string; count: number } | { from?: undefined })

/** The other processes that share the bus. */
type Peers = {
  /** Whether other processes publish events as well, or ever have. */
  readonly isShared: boolean
  /**
   * Sends events to them, in order. Settles when all have dealt with them, or the time for that is up; at once if all
   * of them are `unawaited`.
   */
  publish(events: readonly HearthEvent[]): Promise<void>
  /** Tells them that a user came online, or went offline, at this process. */
  publishPresence(userId: string, presence: Presence): void
  close(): Promise<void>
}

export type PeerSettings = {
  /**
   * Whether others exist even if none is known yet. If not, nothing is sent until one is known: a single process pays
   * nothing.
   */
  isOneOfMany: boolean
  heartbeatEveryMs: number
  /** How often a process without peers sends a heartbeat, so that two that lost contact find each other again. */
  aloneHeartbeatEveryMs: number
  /** A peer that has been silent for so long counts as gone. */
  forgottenAfterMs: number
  acknowledgedWithinMs: number
  /** When others were sent something later, and this has still not come, it counts as lost. */
  lostAfterMs: number
}
const defaultSettings: PeerSettings = {
  isOneOfMany: false,
  heartbeatEveryMs: 5_000,
  aloneHeartbeatEveryMs: 30_000,
  forgottenAfterMs: 15_000,
  acknowledgedWithinMs: 1_000,
  lostAfterMs: 1_000,
}

/**
 * Events that are too many to be waited for. Every other one must have been dealt with by the gateways of all processes
 * before the request is answered. Otherwise what another process does next is told before it, and an event would miss
 * those who were just let in, or reach those who were just shut out. Messages bring their order with them.
 */
const unawaited: ReadonlySet<HearthEvent['type']> = new Set<HearthEvent['type']>([
  'message_created',
  'message_deleted',
  'read_state_updated',
  'typing_started',
])

/** The message of a process that publishes events without joining the others. */
export function eventsWithoutSender(events: readonly HearthEvent[]): string {
  const sent: Sent[] = [{ type: 'events', events }]
  return JSON.stringify(sent)
}

/** Joins the processes that share a relay. `deliver` is called with the events of the others. */
export function joinPeers(
  relay: Relay,
  deliver: (events: readonly HearthEvent[]) => Promise<void>,
  changed: Partial<PeerSettings> = {},
): Peers {
  const settings = { ...defaultSettings, ...changed }
  const self = randomUUID()
  const outbox = createOutbox<Sent>(relay)
  const acknowledgements = createAcknowledgements(settings.acknowledgedWithinMs)
  const losses = noticeLosses(settings.lostAfterMs, startAgain)
  const lastHeardMs = new Map<string, number>()
  let count = 0
  let isShared = settings.isOneOfMany

  function isAlone(): boolean {
    return !settings.isOneOfMany && lastHeardMs.size === 0
  }

  function send(message: Message): void {
    outbox.send({ ...message, from: self, count })
  }

  function receive(message: Sent): void {
    if (message.from !== undefined) receiveFrom(message.from, message, message.count)
    else if (message.type === 'events') void deliver(message.events)
  }

  function receiveFrom(peer: string, message: Message, itsCount: number): void {
    meet(peer, message)
    switch (message.type) {
      case 'online':
        setOnline(peer, new Set(message.users))
        break
      case 'presence':
        if (losses.came(peer, itsCount)) change(message.user_id, message.presence, peer)
        break
      case 'gone':
        forget(peer)
        break
      case 'acknowledged':
        if (message.to === self) acknowledgements.acknowledge(message.number, peer)
        break
      case 'events':
        void receiveEvents(peer, message, losses.came(peer, itsCount))
    }
    losses.sentSoFar(peer, itsCount)
  }

  /** Two processes that meet tell each other who is online with them; so does one that gets a `hello`. */
  function meet(peer: string, { type }: Message): void {
    const isNew = !lastHeardMs.has(peer)
    isShared = true
    lastHeardMs.set(peer, performance.now())
    acknowledgements.heard(peer)
    if (type === 'hello' || (isNew && type !== 'online')) send({ type: 'online', users: usersAt() })
    if (isNew && type !== 'online' && type !== 'hello') send({ type: 'hello' })
  }

  async function receiveEvents(
    peer: string,
    message: Message & { type: 'events' },
    isNew: boolean,
  ): Promise<void> {
    if (isNew) await deliver(message.events)
    if (message.acknowledge === undefined) return
    send({ type: 'acknowledged', to: peer, number: message.acknowledge })
  }

  function setOnline(peer: string, users: ReadonlySet<string>): void {
    for (const userId of usersAt(peer)) if (!users.has(userId)) change(userId, 'offline', peer)
    for (const userId of users) change(userId, 'online', peer)
  }

  function change(user_id: string, presence: Presence, peer: string): void {
    if (setPresence(user_id, presence, peer)) void deliver([{ type: 'presence_changed', user_id, presence }])
  }

  function forget(peer: string): void {
    lastHeardMs.delete(peer)
    for (const userId of usersAt(peer)) change(userId, 'offline', peer)
    acknowledgements.forget(peer)
  }

  function beat(): void {
    const now = performance.now()
    if (!isAlone() || now - outbox.lastSentMs >= settings.aloneHeartbeatEveryMs) send({ type: 'alive' })
    // While nothing can be sent, silence means nothing.
    const silent = [...lastHeardMs].filter(([, heardMs]) => {
      return now - Math.max(heardMs, outbox.lastFailedMs) > settings.forgottenAfterMs
    })
    for (const [peer] of silent) forget(peer)
    // Whoever dies may have changed something that it did not tell.
    if (silent.length > 0) startAgain()
  }

  /**
   * Something of others was lost, or never sent: what sessions know, and who is online there, may be wrong. A process
   * that was only stopped or cut off for a while hears the `hello` when it is back.
   */
  function startAgain(): void {
    void deliver([{ type: 'events_lost' }])
    send({ type: 'hello' })
  }

  relay.listen((text) => {
    for (const message of JSON.parse(text) as Sent[]) receive(message)
  })
  send({ type: 'hello' })
  const heartbeat = setInterval(() => onceRead(beat), settings.heartbeatEveryMs).unref()

  return {
    get isShared() {
      return isShared
    },
    async publish(events) {
      if (events.length === 0) return
      count += 1
      if (isAlone()) return
      const mustWait = lastHeardMs.size > 0 && events.some(({ type }) => !unawaited.has(type))
      if (!mustWait) return send({ type: 'events', events })
      const { number, settled } = acknowledgements.expect(lastHeardMs.keys())
      send({ type: 'events', events, acknowledge: number })
      await settled
    },
    publishPresence(user_id, presence) {
      count += 1
      if (!isAlone()) send({ type: 'presence', user_id, presence })
    },
    async close() {
      clearInterval(heartbeat)
      if (!isAlone()) send({ type: 'gone' })
      await outbox.drained()
      for (const peer of lastHeardMs.keys())
        for (const user of usersAt(peer)) setPresence(user, 'offline', peer)
      await relay.close()
    },
  }
}
