import { shareRuns } from '../concurrency/shared-run.ts'
import type { Db } from '../database/client.ts'
import { measureLag } from './log-lag.ts'
import { beginEpoch, type Entry, type EntryPosition, listEntries, readLog } from './log-queries.ts'

/** All entries after a position, up to another. */
export type LogRange = { epoch: string; after: number; upTo: number; entries: (Entry & EntryPosition)[] }

/** How a process got entries: it committed them, another process published them, or it read them from the table. */
type Source = 'own' | 'published' | 'read'

/** How far a process has read and delivered the log. */
export type LogProgress = {
  /** The position up to which the log was read. */
  position: number
  /** The events that it has up to there. */
  entries: number
  /** The entries not yet delivered. */
  pending: number
  /** How far behind its end the deliveries are (`LogLag`). */
  lagMs: number
  /** The events passed on for delivery since the start, by how the process got them. */
  received: Readonly<Record<Source, number>>
}

/** Reads the log and delivers its entries, each once and in order. */
type LogReader = {
  /** Identifies the log; it changes when the log was lost. */
  readonly epoch: string
  readonly progress: LogProgress
  readonly position: number
  /** When something was last read, by `performance.now()`. */
  readonly lastReadMs: number
  /**
   * Passes on entries that this process has committed, after everything that was committed before. Returns the position
   * of the last one, and when they are delivered. If the log cannot be read now, they are passed on later.
   */
  deliver(entries: readonly Entry[]): Promise<{ position: number; delivered: Promise<unknown> }>
  /** Reads on, as another process has added something. */
  wake(): void
  /** Delivers a range that another process has read, or reads on where it does not continue the position. */
  receive(range: LogRange): void
  /** Reads to the end of the log. Returns that position; everything up to there is passed on for delivery. */
  catchUp(): Promise<number>
  close(): Promise<void>
}

type LogListener = {
  /** Loads the state that the log continues, before anything is delivered from its end. */
  load(): Promise<void>
  /** Delivers an entry, whose last event has this position. */
  deliver(entry: Entry, position: number): void | Promise<void>
  /** An entry, and everything up to another position, is delivered. */
  delivered(entry: Entry, upTo: number): void
  /** Entries are missing: the log was emptied, or trimmed before it was read. */
  lost(): void
  /** A range with entries of this process was read. */
  read(range: LogRange): void
}

const pollIntervalMs = 1_000
/** `read_events` runs under a lock, so its result must fit into the buffer of a connection. */
const entriesAtOnce = 500
/** Reading waits while more entries are not yet delivered. */
const maxPending = 2_000

/** Reads the log from its end on: after each commit, when woken, and every second. */
export async function openLogReader(db: Db, listener: LogListener): Promise<LogReader> {
  /** Committed by this process, with the messages that the log names by their ids only. */
  const own = new Map<string, { entry: Entry; position?: number }>()
  const pending = new Map<string, { position: number; delivered: Promise<void> }>()
  const received: Record<Source, number> = { own: 0, published: 0, read: 0 }
  const lag = measureLag()
  let epoch = ''
  let position = 0
  let trimmedTo = 0
  let lastReadMs = 0
  let isClosed = false
  await begin()
  const readOn = shareRuns(read)
  const wake = () => void readOn().catch(() => {})
  const polling = setInterval(wake, pollIntervalMs).unref()

  /** Begins at the end of the log. If that fails, no page has this epoch, and the next read begins again. */
  async function begin(): Promise<void> {
    epoch = ''
    let log = await readLog(db, 0, 0)
    while (!log) {
      await beginEpoch(db)
      log = await readLog(db, 0, 0)
    }
    await listener.load()
    epoch = log.epoch
    position = log.newest
    lag.begin()
    trimmedTo = log.trimmedTo
    lastReadMs = performance.now()
  }

  async function restart(): Promise<void> {
    await begin()
    listener.lost()
  }

  async function read(): Promise<void> {
    for (let isMore = true; isMore && !isClosed; ) {
      if (pending.size > maxPending)
        await Promise.all([...pending.values()].map(({ delivered }) => delivered))
      const after = position
      const startedMs = performance.now()
      const page = await readLog(db, after, entriesAtOnce)
      if (!page || page.epoch !== epoch || page.trimmedTo > position) return restart()
      const { positions } = page
      const upTo = positions.at(-1)?.position ?? after
      const isOwn = positions.every(({ id }) => own.has(id))
      const listed = isOwn ? [] : await listEntries(db, after, upTo)
      // The log may have been trimmed meanwhile.
      if (!isOwn && listed.length < positions.length) return restart()
      const entries = positions.map((one, index) => ({
        ...(own.get(one.id)?.entry ?? listed[index]!),
        ...one,
      }))
      trimmedTo = page.trimmedTo
      lastReadMs = performance.now()
      isMore = positions.length === entriesAtOnce
      if (!isMore) lag.readToEnd(upTo, startedMs)
      deliverRange(entries, upTo, 'read')
      if (entries.some(({ id }) => own.has(id))) listener.read({ epoch, after, upTo, entries })
    }
  }

  /** Passes over what was received from another process meanwhile. */
  function deliverRange(entries: LogRange['entries'], upTo: number, source: Source): void {
    const fresh = entries.filter((entry) => entry.position > position)
    position = Math.max(position, upTo)
    for (const entry of fresh) deliverEntry(entry, source)
    lag.deliveredUpTo(deliveredUpTo())
  }

  function deliverEntry({ position, ...entry }: Entry & EntryPosition, source: Source): void {
    const ownEntry = own.get(entry.id)
    received[ownEntry ? 'own' : source] += entry.events.length
    if (ownEntry) ownEntry.position = position
    const delivering = listener.deliver(ownEntry?.entry ?? entry, position)
    if (delivering) pending.set(entry.id, { position, delivered: delivering.finally(() => finish(entry)) })
    else finish(entry)
  }

  function finish(entry: Entry): void {
    const wasPending = pending.delete(entry.id)
    const upTo = deliveredUpTo()
    // Otherwise further entries of the same range may follow.
    if (wasPending) lag.deliveredUpTo(upTo)
    listener.delivered(entry, upTo)
  }

  function deliveredUpTo(): number {
    const [first] = pending.values()
    return first ? first.position - 1 : position
  }

  return {
    get epoch() {
      return epoch
    },
    get position() {
      return position
    },
    get progress() {
      return {
        position,
        entries: position - trimmedTo,
        pending: pending.size,
        lagMs: lag.ms,
        received,
      }
    },
    get lastReadMs() {
      return lastReadMs
    },
    async deliver(entries) {
      for (const entry of entries) own.set(entry.id, { entry })
      await readOn().catch(() => {})
      const positions = entries.map(({ id }) => own.get(id)?.position ?? position)
      for (const { id } of entries) own.delete(id)
      const delivered = Promise.all(entries.map(({ id }) => pending.get(id)?.delivered))
      return { position: Math.max(...positions), delivered }
    },
    wake,
    receive(range) {
      const isNext = range.epoch === epoch && range.after <= position
      if (!isNext) return wake()
      if (pending.size > maxPending) return
      lastReadMs = performance.now()
      deliverRange(range.entries, range.upTo, 'published')
    },
    async catchUp() {
      await readOn()
      return position
    },
    async close() {
      isClosed = true
      clearInterval(polling)
      await readOn()
    },
  }
}
