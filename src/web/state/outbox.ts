import { signal } from '@preact/signals'
import { ApiError } from '../../client/errors.ts'
import { put, without } from './records.ts'
import type { ById, Message, ReplyTo } from './state.ts'

/** A message that the server has not confirmed yet. */
export type OutboxEntry = {
  /** The server takes a message with the same nonce for the same one, for 24 hours. */
  nonce: string
  user_id: string
  room_id: string
  content: string
  /** In seconds, of a message that explodes. */
  exploding_age?: number
  /** Of a reply: what it answers, and whether its author is not to be mentioned. */
  reply_to?: ReplyTo | undefined
  reply_mention?: false
  /** In ms since 1970. */
  created_at: number
  state: 'waiting' | 'sending' | 'failed'
  /** Why it failed: a code, and what the server says of it. */
  failure?: string
  failure_message?: string
  /** The message that came over the gateway before the answer: it is shown instead. */
  message_id?: string
}

/** Where entries outlive the page. */
export type OutboxStorage = {
  list(): Promise<OutboxEntry[]>
  put(entry: OutboxEntry): Promise<void>
  remove(nonce: string): Promise<void>
}

type OutboxOptions = {
  storage: OutboxStorage
  send(entry: OutboxEntry): Promise<Message>
  /** Called before the entry goes, which waits for what it returns, so that the message is never missing. */
  onSent(message: Message): Promise<void> | undefined
  /** Calls back after some time. */
  wait?(ms: number, callback: () => void): void
  now?(): number
}

const firstWaitMs = 2_000
const longestWaitMs = 30_000
/** A nonce is good for 24 hours; what is older may have been sent, so that people decide. */
const nonceMs = 23 * 3_600_000

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Messages on their way: those of a room go one after the other, each once, also after the page was closed. While the
 * server does not answer they wait; those that it refuses stay until they are tried again or discarded.
 */
export function createOutbox({ storage, send, onSent, ...options }: OutboxOptions) {
  const { now = () => Date.now(), wait = (ms, callback) => void setTimeout(callback, ms) } = options
  const entries = signal<OutboxEntry[]>([])
  const busyRooms = new Set<string>()
  /** By room: until when the server wants no further message, in ms since 1970. */
  const pauses = signal<ById<number>>({})
  let waitMs = firstWaitMs
  /** The nonces that may have reached the server. */
  const tried = new Set<string>()
  /** Whose entries these are. */
  let person: string | undefined

  function update(nonce: string, changes: Partial<OutboxEntry>): Promise<void> {
    entries.value = entries.peek().map((entry) => (entry.nonce === nonce ? { ...entry, ...changes } : entry))
    const entry = entries.peek().find((each) => each.nonce === nonce)
    return entry ? storage.put(entry) : Promise.resolve()
  }

  function remove(nonce: string): Promise<void> {
    tried.delete(nonce)
    entries.value = entries.peek().filter((entry) => entry.nonce !== nonce)
    return storage.remove(nonce)
  }

  async function sendRoom(roomId: string): Promise<void> {
    if (busyRooms.has(roomId) || roomId in pauses.peek()) return
    busyRooms.add(roomId)
    for (;;) {
      const next = entries.peek().find((each) => each.room_id === roomId && each.state === 'waiting')
      if (!next || !(await sendOne(next))) break
    }
    busyRooms.delete(roomId)
  }

  /** Whether to go on with the next one. */
  async function sendOne(entry: OutboxEntry): Promise<boolean> {
    const { nonce } = entry
    await update(nonce, { state: 'sending' })
    // Meanwhile somebody else may have logged in: it is not theirs.
    if (!entries.peek().some((each) => each.nonce === nonce)) return false
    tried.add(nonce)
    try {
      const shown = onSent(await send(entry))
      if (shown) await shown
      waitMs = firstWaitMs
      await remove(nonce)
      return true
    } catch (error) {
      const { code, message, status, retryAfterMs } = asApiError(error)
      const isRefused = status >= 400 && status < 500 && status !== 429
      // An attempt before this one has reached the server.
      const isSent = entries.peek().some((each) => each.nonce === nonce && each.message_id !== undefined)
      if (isRefused && isSent) {
        await remove(nonce)
        return true
      }
      if (code === 'message_not_found' && entry.reply_to) {
        // What it replies to is gone: it goes as an ordinary message.
        await update(nonce, { state: 'waiting', reply_to: undefined })
        return true
      }
      const refused = { state: 'failed', failure: code, failure_message: message } as const
      await update(nonce, isRefused ? refused : { state: 'waiting' })
      if (isRefused) return true
      if (status === 429 && retryAfterMs !== undefined) {
        pause(entry.room_id, retryAfterMs)
        return false
      }
      wait(waitMs, resume)
      waitMs = Math.min(waitMs * 2, longestWaitMs)
      return false
    }
  }

  function pause(roomId: string, ms: number): void {
    pauses.value = put(pauses.peek(), roomId, now() + ms)
    wait(ms, () => {
      pauses.value = without(pauses.peek(), roomId)
      resume()
    })
  }

  /** Sends what waits. */
  function resume(): void {
    for (const roomId of new Set(entries.peek().map((entry) => entry.room_id))) void sendRoom(roomId)
  }

  return {
    entries,
    pauses,
    resume,

    /** Takes the entries of earlier visits, before what was written since. */
    async restore(userId: string): Promise<void> {
      person = userId
      entries.value = entries.peek().filter((entry) => entry.user_id === userId)
      const kept = (await storage.list()).filter((entry) => entry.user_id === userId)
      if (person !== userId) return
      const known = new Set(entries.peek().map(({ nonce }) => nonce))
      const restored = kept
        .filter(({ nonce }) => !known.has(nonce))
        .sort((a, b) => a.created_at - b.created_at)
        .map((entry): OutboxEntry => {
          if (entry.state === 'failed') return entry
          const isOld = now() - entry.created_at > nonceMs
          return isOld
            ? { ...entry, state: 'failed', failure: 'waited_too_long' }
            : { ...entry, state: 'waiting' }
        })
      entries.value = [...restored, ...entries.peek()]
      resume()
    },

    /** Sends a message as soon as possible. */
    async add(
      entry: Pick<
        OutboxEntry,
        'nonce' | 'user_id' | 'room_id' | 'content' | 'exploding_age' | 'reply_to' | 'reply_mention'
      >,
    ): Promise<void> {
      const last = entries.peek().at(-1)?.created_at ?? 0
      const added: OutboxEntry = { ...entry, created_at: Math.max(now(), last + 1), state: 'waiting' }
      entries.value = [...entries.peek(), added]
      // Sending does not wait for the disk.
      const kept = storage.put(added)
      void sendRoom(entry.room_id)
      await kept
    },

    /** Tries one that was refused again. */
    async retry(nonce: string): Promise<void> {
      const entry = entries.peek().find((each) => each.nonce === nonce)
      if (!entry) return
      await update(nonce, { state: 'waiting' })
      await sendRoom(entry.room_id)
    },

    discard: remove,

    /** Takes back one that was discarded, where it was. */
    keep(entry: OutboxEntry): Promise<void> {
      const others = entries.peek().filter(({ nonce }) => nonce !== entry.nonce)
      entries.value = [...others, entry].sort((a, b) => a.created_at - b.created_at)
      return storage.put(entry)
    },

    /** A message of one's own has come over the gateway: if it is one of these, it takes its place at once. */
    received({ id, room_id, content }: Message): void {
      const match = entries.peek().find((each) => {
        const isAlike = each.room_id === room_id && each.content === content
        return isAlike && each.state !== 'failed' && tried.has(each.nonce) && !each.message_id
      })
      if (match) void update(match.nonce, { message_id: id })
    },

    /** Forgets all of them on this page; they stay in the storage. */
    forget(): void {
      person = undefined
      entries.value = []
    },
  }
}

function asApiError(error: unknown): Pick<ApiError, 'code' | 'message' | 'status' | 'retryAfterMs'> {
  if (error instanceof ApiError) return error
  return { code: 'unreachable', message: '', status: 0, retryAfterMs: undefined }
}
