import { EventEmitter, once } from 'node:events'
import { shareRuns } from '../concurrency/shared-run.ts'
import type { Db } from '../database/client.ts'
import { listServing, type Node } from '../database/node-number.ts'
import type { HearthEvent } from './events.ts'
import type { LogRange } from './log-reader.ts'
import { listNodesOf } from './presence-queries.ts'
import type { Relay } from './relay.ts'

/** What processes send each other; any message may be lost. */
type Message =
  /** Entries were added to the log. */
  | { type: 'log_grew' }
  /** Entries were added to the log and read, by a relay that costs the database nothing. */
  | { type: 'log_range'; range: LogRange }
  /** The process with this number has delivered everything up to this position. */
  | { type: 'delivered'; node: number | null; position: number }
  /** Events that are not in the log. */
  | { type: 'events'; events: readonly HearthEvent[] }

/** What was sent to the other processes. */
export type Sent = {
  /** Events of the log that were published. */
  readonly events: number
  /** Messages that are on their way to the relay. */
  readonly waiting: number
  /** Messages that could not be sent: the others read the log later. */
  readonly failures: number
}

/** The other processes that serve this database. While there are none, nothing is sent. */
export type Peers = {
  readonly sent: Sent
  publish(events: readonly HearthEvent[]): void
  announceGrowth(): void
  publishRange(range: LogRange): void
  confirmDelivery(position: number): void
  /**
   * Settles when the processes with sockets of these users have delivered everything up to a position, or after a
   * second.
   */
  delivered(userIds: readonly string[], position: number): Promise<void>
  close(): Promise<void>
}

type PeerListener = {
  receiveEvents(events: readonly HearthEvent[]): void
  receiveRange(range: LogRange): void
  logGrew(): void
  /** A message was sent, and the relay has taken so many ms for it. */
  sentAfter(ms: number): void
}

const listPeersEveryMs = 1_000
const confirmTimeoutMs = 1_000

/** Joins the processes that share a relay. */
export async function connectPeers(db: Db, node: Node, relay: Relay, listener: PeerListener): Promise<Peers> {
  let others: readonly number[] = []
  const sent = { events: 0, waiting: 0, failures: 0 }
  const deliveredTo = new Map<number, number>()
  const confirmations = new EventEmitter().setMaxListeners(0)
  const announce = shareRuns(() => send({ type: 'log_grew' }))

  async function listPeers(): Promise<void> {
    others = (await listServing(db)).filter((number) => number !== node.number)
  }

  /** A process that misses a message reads the log within a second. */
  async function send(message: Message): Promise<void> {
    if (others.length === 0) return
    const startedMs = performance.now()
    sent.waiting += 1
    try {
      await relay.send(JSON.stringify(message))
      listener.sentAfter(performance.now() - startedMs)
      if (message.type === 'log_range') sent.events += countEvents(message.range)
    } catch {
      sent.failures += 1
    } finally {
      sent.waiting -= 1
    }
  }

  function receive(message: Message): void {
    if (message.type === 'log_grew') listener.logGrew()
    if (message.type === 'log_range') listener.receiveRange(message.range)
    if (message.type === 'events') listener.receiveEvents(message.events)
    if (message.type !== 'delivered' || message.node === null) return
    deliveredTo.set(message.node, message.position)
    confirmations.emit('delivered')
  }

  relay.listen((text) => {
    const message = parse(text)
    if (message) receive(message)
  })
  await listPeers()
  const listing = setInterval(() => void listPeers().catch(() => {}), listPeersEveryMs).unref()

  return {
    sent,
    publish: (events) => void send({ type: 'events', events }),
    announceGrowth() {
      if (!relay.sendsLog && others.length > 0) void announce()
    },
    publishRange(range) {
      if (relay.sendsLog) void send({ type: 'log_range', range })
    },
    confirmDelivery: (position) => void send({ type: 'delivered', node: node.number, position }),
    async delivered(userIds, position) {
      if (others.length === 0) return
      const nodes = await listNodesOf(db, userIds).catch(() => [])
      const isMissing = (one: number) => others.includes(one) && (deliveredTo.get(one) ?? 0) < position
      const signal = AbortSignal.timeout(confirmTimeoutMs)
      while (nodes.some(isMissing) && !signal.aborted)
        await once(confirmations, 'delivered', { signal }).catch(() => {})
    },
    async close() {
      clearInterval(listing)
      await relay.close()
    },
  }
}

function countEvents({ entries }: LogRange): number {
  return entries.reduce((sum, { events }) => sum + events.length, 0)
}

/** Undefined for text that is no message: other programs may write to the channel as well. */
function parse(text: string): Message | undefined {
  try {
    const message = JSON.parse(text)
    return typeof message?.type === 'string' ? message : undefined
  } catch {
    return undefined
  }
}
