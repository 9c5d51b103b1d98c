import type { EventOf } from '../events/events.ts'
import { idTimeMs, isGreaterId } from '../ids.ts'
import type { Gap } from '../messages/missed-operations.ts'

type MessageFact = EventOf<'message_created' | 'message_updated' | 'message_deleted'>
type Created = EventOf<'message_created'>

/** Puts the messages that several processes send into the order of their ids, each once. */
export type MessageOrder = {
  /** Tells what came, or keeps it until that which belongs before it has come. */
  pass(fact: MessageFact): void | Promise<void>
  /** Forgets rooms where nothing was sent lately. */
  sweep(nowMs: number): void
  stop(): void
}

/** A room forgotten for so long has no message that is still on its way. */
const rememberedMs = 60_000

/**
 * Each message names the one before it in its room (`after`); one that comes too early waits for that. What has not
 * come after `waitMs` is asked for by `find`, which gives what is there of it, or undefined when it is too much to
 * be told: then `giveUp` hears of the room. What is said of a message that has not come yet waits like the next one.
 */
export function createMessageOrder(parts: {
  waitMs: number
  tell(fact: MessageFact): void | Promise<void>
  find(gap: Gap): Promise<Created[] | undefined>
  giveUp(roomId: string): void
}): MessageOrder {
  const openedAtMs = Date.now()
  /** The last message told of each room, the rooms in the order in which they had it. */
  const rooms = new Map<string, { last: string; atMs: number }>()
  const waiting = new Map<string, { facts: MessageFact[]; timer: NodeJS.Timeout }>()

  function lastOf(roomId: string): string | undefined {
    return rooms.get(roomId)?.last
  }

  function isUntold(room_id: string, id: string): boolean {
    const last = lastOf(room_id)
    if (last !== undefined) return isGreaterId(id, last)
    return idTimeMs(id) > Math.max(openedAtMs, Date.now() - rememberedMs)
  }

  function mustWait(fact: MessageFact): boolean {
    if (fact.type === 'message_created') {
      return typeof fact.after === 'string' && isUntold(fact.room_id, fact.after)
    }
    const isKnown = rooms.has(fact.room_id) || waiting.has(fact.room_id)
    return isKnown && isUntold(fact.room_id, idOf(fact))
  }

  function remember(room_id: string, last: string): void {
    rooms.delete(room_id)
    rooms.set(room_id, { last, atMs: performance.now() })
  }

  function release(fact: MessageFact): void | Promise<void> {
    if (fact.type === 'message_created') {
      const last = lastOf(fact.room_id)
      // It came before.
      if (fact.after !== undefined && last !== undefined && !isGreaterId(fact.message.id, last)) return
      remember(fact.room_id, fact.message.id)
    }
    return parts.tell(fact)
  }

  function pass(fact: MessageFact): void | Promise<void> {
    if (mustWait(fact)) return keep(fact)
    const told = release(fact)
    if (waiting.has(fact.room_id)) releaseKept(fact.room_id)
    return told
  }

  function keep(fact: MessageFact): void {
    const room = waiting.get(fact.room_id)
    if (room) room.facts.push(fact)
    else waiting.set(fact.room_id, { facts: [fact], timer: later(fact.room_id) })
  }

  function later(roomId: string): NodeJS.Timeout {
    return setTimeout(() => void fill(roomId), parts.waitMs).unref()
  }

  /** Whatever waits no longer, in its order. */
  function releaseKept(roomId: string): void {
    const room = waiting.get(roomId)
    if (!room) return
    room.facts.sort(inOrder)
    for (let place = 0; place < room.facts.length; ) {
      if (mustWait(room.facts[place]!)) place += 1
      else void release(room.facts.splice(place, 1)[0]!)
    }
    if (room.facts.length > 0) return
    clearTimeout(room.timer)
    waiting.delete(roomId)
  }

  /** The time is up: what is missing is looked for, and what waited goes out in any case. */
  async function fill(roomId: string): Promise<void> {
    const room = waiting.get(roomId)
    const next = room?.facts.toSorted(inOrder).find((fact) => fact.type === 'message_created')
    if (next) {
      const before = next.message.id
      const after = lastOf(roomId) ?? (BigInt(next.after!) - 1n).toString()
      const gap = { room_id: roomId, house_id: next.house_id, after, before }
      const found = await parts.find(gap).catch(() => undefined)
      if (!found) parts.giveUp(roomId)
      for (const fact of found ?? []) void release({ ...fact, after: null })
      if (isUntold(roomId, next.after!)) remember(roomId, next.after!)
    } else {
      // Of what these speak nobody here has heard: it is gone, or will come as it is now.
      for (const fact of room?.facts.splice(0) ?? []) void release(fact)
    }
    releaseKept(roomId)
    const left = waiting.get(roomId)
    if (left) left.timer = later(roomId)
  }

  return {
    pass,
    sweep(nowMs) {
      for (const [roomId, { atMs }] of rooms) {
        if (nowMs - atMs < rememberedMs) return
        rooms.delete(roomId)
      }
    },
    stop() {
      for (const { timer } of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}

function idOf(fact: MessageFact): string {
  return fact.type === 'message_deleted' ? fact.message_id : fact.message.id
}

/** By id; of one message first that it was created. */
function inOrder(one: MessageFact, other: MessageFact): number {
  const [oneId, otherId] = [idOf(one), idOf(other)]
  if (oneId !== otherId) return isGreaterId(oneId, otherId) ? 1 : -1
  return Number(other.type === 'message_created') - Number(one.type === 'message_created')
}
