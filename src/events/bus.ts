import type { Db } from '../database/client.ts'
import type { Node } from '../database/node-number.ts'
import type { HearthEvent } from './events.ts'
import type { Entry } from './log-queries.ts'
import { type LogProgress, openLogReader } from './log-reader.ts'
import { startTrimming } from './log-trimming.ts'
import { connectPeers, type Peers, type Sent } from './peers.ts'
import {
  addPresenceChange,
  type PresenceChanges,
  setOnline,
  setPresence,
  usersChangedSince,
} from './presence.ts'
import { listOnline, listPresenceChanges } from './presence-queries.ts'
import type { RedisState, Relay } from './relay.ts'

/** Handles an event; `position` is undefined for events that are not in the log. */
type Listener = (event: HearthEvent, position?: number) => void | Promise<void>

/** Delivers the events of the log to the listeners of this process. */
export type Bus = {
  /** This process among those that share the log. */
  readonly node: Pick<Node, 'number'>
  readonly progress: LogProgress
  readonly sent: Sent
  /** Undefined where events are not sent over Redis. */
  readonly redis: RedisState | undefined
  /** Identifies the log; it changes when the log was lost. */
  readonly epoch: string
  /** False when the log could not be read for ten seconds. */
  readonly isReading: boolean
  /** Reads to the end of the log. Returns that position; everything up to there was passed to the listeners. */
  catchUp(): Promise<number>
  /**
   * Delivers what an operation has added to the log. Settles when the listeners of this process have handled it, and,
   * after a join, also those of the processes with a socket of the joiner; after ten seconds at most.
   */
  deliver(entries: readonly Entry[]): Promise<void>
  /**
   * The same, but settles when the listeners have begun to handle the entries, so that the changes of one user do not
   * delay the answers to others. If somebody enters a house or a room, or creates a room, it settles as `deliver` does: a
   * client finds where it is.
   */
  beginDelivery(entries: readonly Entry[]): Promise<void>
  /** Delivers events that are not in the log to the listeners of all processes. */
  publish(events: readonly HearthEvent[]): Promise<void>
  /** The users whose presence has changed since a position; undefined where that is not known. */
  presencesChangedSince(position: number): string[] | undefined
  /** Returns how to unsubscribe. */
  subscribe(listener: Listener): () => void
  /** Calls back with the ms that each message to the other processes has taken. Returns how to unsubscribe. */
  onSent(listener: (ms: number) => void): () => void
  close(): Promise<void>
}

const deliveryTimeoutMs = 10_000
const readTimeoutMs = 10_000

/** Opens a bus that delivers from the end of the log on, to this process alone or to all that share a relay. */
export async function openBus(db: Db, node: Node, relay?: Relay): Promise<Bus> {
  const listeners = new Set<Listener>()
  const sentListeners = new Set<(ms: number) => void>()
  let presenceChanges: PresenceChanges
  let peers: Peers | undefined
  const log = await openLogReader(db, {
    async load() {
      const [online, changes] = await Promise.all([listOnline(db), listPresenceChanges(db)])
      setOnline(online)
      presenceChanges = changes
    },
    deliver: ({ events }, position) => passOn(events, position - events.length + 1),
    delivered(entry, upTo) {
      if (joinersOf([entry]).length > 0) peers?.confirmDelivery(upTo)
    },
    lost: () => void passOn([{ type: 'events_lost' }]),
    read: (range) => peers?.publishRange(range),
  })
  const stopTrimming = startTrimming(db, log)
  peers =
    relay &&
    (await connectPeers(db, node, relay, {
      receiveEvents: (events) => void passOn(events),
      receiveRange: log.receive,
      logGrew: log.wake,
      sentAfter(ms) {
        for (const sentListener of sentListeners) sentListener(ms)
      },
    }))

  /** Passes all events to the listeners in one turn of the event loop, so that no others come in between. */
  function passOn(events: readonly HearthEvent[], firstPosition?: number): void | Promise<void> {
    const handling: Promise<void>[] = []
    events.forEach((event, index) => {
      const position = firstPosition === undefined ? undefined : firstPosition + index
      if (position !== undefined) notePresence(event, position)
      for (const listener of listeners) {
        const handled = listener(event, position)
        if (handled) handling.push(handled)
      }
    })
    if (handling.length > 0) return Promise.all(handling).then(() => {})
  }

  function notePresence(event: HearthEvent, position: number): void {
    if (event.type === 'account_deleted') setPresence(event.user_id, 'offline')
    if (event.type !== 'presence_changed') return
    setPresence(event.user_id, event.presence)
    addPresenceChange(presenceChanges, event.user_id, position)
  }

  async function deliver(entries: readonly Entry[], isAwaited: boolean): Promise<void> {
    peers?.announceGrowth()
    const { position, delivered } = await log.deliver(entries)
    if (!isAwaited) return void delivered.catch(() => {})
    await delivered
    const joiners = joinersOf(entries)
    if (joiners.length > 0) await peers?.delivered(joiners, position)
  }

  return {
    node,
    get progress() {
      return log.progress
    },
    get sent() {
      return peers?.sent ?? { events: 0, waiting: 0, failures: 0 }
    },
    redis: relay?.redis,
    get epoch() {
      return log.epoch
    },
    get isReading() {
      return performance.now() - log.lastReadMs < readTimeoutMs
    },
    catchUp: log.catchUp,
    async deliver(entries) {
      if (entries.length > 0) await withTimeout(deliveryTimeoutMs, deliver(entries, true))
    },
    async beginDelivery(entries) {
      if (entries.length > 0) await withTimeout(deliveryTimeoutMs, deliver(entries, isEntered(entries)))
    },
    async publish(events) {
      peers?.publish(events)
      await withTimeout(deliveryTimeoutMs, Promise.resolve(passOn(events)))
    },
    presencesChangedSince: (position) => usersChangedSince(presenceChanges, position),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onSent(listener) {
      sentListeners.add(listener)
      return () => sentListeners.delete(listener)
    },
    async close() {
      stopTrimming()
      await log.close()
      await peers?.close()
    },
  }
}

/** Whether somebody enters a house or a private room, or creates a room. */
function isEntered(entries: readonly Entry[]): boolean {
  return entries.some(({ events }) => events.some(({ type }) => entering.has(type)))
}

const entering: ReadonlySet<HearthEvent['type']> = new Set([
  'member_joined',
  'private_room_entered',
  'room_created',
])

/** A join is answered after HOUSE_JOIN was sent to the sockets of the joiner. */
function joinersOf(entries: readonly Entry[]): string[] {
  const events = entries.flatMap((entry) => entry.events)
  return events.flatMap((event) => (event.type === 'member_joined' ? event.user_id : []))
}

/** Settles when the work does, or when the time is up. */
function withTimeout(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    work.then(() => resolve(), reject).finally(() => clearTimeout(timer))
  })
}
