import { idTimeMs, isGreaterId } from '../ids.ts'

/** After this long without a message a room is forgotten: no earlier message can still be on its way. */
const rememberedMs = 60_000

/** The last message told in each room. */
type LastMessages = {
  get(roomId: string): string | undefined
  set(roomId: string, messageId: string): void
  /** Whether a message has still to be told. Where the room is not known, that holds for recent messages only. */
  isUntold(roomId: string, messageId: string): boolean
  /** Forgets the rooms where nothing was sent lately. */
  sweep(nowMs: number): void
}

export function createLastMessages(): LastMessages {
  const openedAtMs = Date.now()
  /** The room with the latest message stands last. */
  const rooms = new Map<string, { last: string; atMs: number }>()

  return {
    get: (roomId) => rooms.get(roomId)?.last,
    set(roomId, last) {
      rooms.delete(roomId)
      rooms.set(roomId, { last, atMs: performance.now() })
    },
    isUntold(roomId, messageId) {
      const last = rooms.get(roomId)?.last
      if (last !== undefined) return isGreaterId(messageId, last)
      return idTimeMs(messageId) > Math.max(openedAtMs, Date.now() - rememberedMs)
    },
    sweep(nowMs) {
      for (const [roomId, { atMs }] of rooms) {
        if (nowMs - atMs < rememberedMs) return
        rooms.delete(roomId)
      }
    },
  }
}
