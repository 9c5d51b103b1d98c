import { firstIdAt, idTimeMs, isGreaterId } from '../ids.ts'

/** After this long without a message a room is forgotten: no earlier message can still be on its way. */
const rememberedMs = 60_000
/** Younger messages may still be on their way. Less than that, as the clocks of the servers may differ. */
const recentMs = 30_000

/** The last message told in each room. */
type LastMessages = {
  get(roomId: string): string | undefined
  set(roomId: string, messageId: string): void
  /** Whether a message has still to be told. Where the room is not known, that holds for recent messages only. */
  isUntold(roomId: string, messageId: string): boolean
  /** The id up to which the messages of a room count as told. */
  toldUpTo(roomId: string): string
  /** Forgets the rooms where nothing was sent lately. */
  sweep(nowMs: number): void
}

export function createLastMessages(): LastMessages {
  const openedAtMs = Date.now()
  /** The room with the latest message stands last. */
  const rooms = new Map<string, { last: string; atMs: number }>()

  /** In a room that is not known, no message after this time was told. */
  function quietSinceMs(): number {
    return Math.max(openedAtMs, Date.now() - recentMs)
  }

  return {
    get: (roomId) => rooms.get(roomId)?.last,
    set(roomId, last) {
      rooms.delete(roomId)
      rooms.set(roomId, { last, atMs: performance.now() })
    },
    isUntold(roomId, messageId) {
      const last = rooms.get(roomId)?.last
      return last === undefined ? idTimeMs(messageId) > quietSinceMs() : isGreaterId(messageId, last)
    },
    toldUpTo: (roomId) => rooms.get(roomId)?.last ?? firstIdAt(quietSinceMs()),
    sweep(nowMs) {
      for (const [roomId, { atMs }] of rooms) {
        if (nowMs - atMs < rememberedMs) return
        rooms.delete(roomId)
      }
    },
  }
}
