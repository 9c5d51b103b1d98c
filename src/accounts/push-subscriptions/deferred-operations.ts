import { compareIds } from '../../ids.ts'
import type { GatewayMessage } from '../../messages/schemas.ts'

/**
 * A device that loses its connection counts as online until the gateway has missed it: so messages for people who are
 * online are kept for this time, and pushed if they go offline within it.
 */
const keptMs = 120_000
const maxRooms = 5_000

type Kept = { message: GatewayMessage; atMs: number }

/** Messages for people who were online when they were sent: the newest of each room. */
export type DeferredPushes = {
  add(userId: string, message: GatewayMessage): void
  /** Takes those of a user, oldest first. */
  take(userId: string): GatewayMessage[]
}

export function createDeferredPushes(): DeferredPushes {
  /** By user and room, oldest first. */
  const kept = new Map<string, Kept>()
  const roomsOf = new Map<string, Set<string>>()

  function forget(key: string): void {
    const [userId, roomId] = key.split(' ') as [string, string]
    kept.delete(key)
    const rooms = roomsOf.get(userId)
    rooms?.delete(roomId)
    if (rooms?.size === 0) roomsOf.delete(userId)
  }

  function forgetOld(): void {
    for (const [key, { atMs }] of kept) {
      if (kept.size <= maxRooms && performance.now() - atMs <= keptMs) return
      forget(key)
    }
  }

  return {
    add(userId, message) {
      const key = `${userId} ${message.room_id}`
      kept.delete(key)
      kept.set(key, { message, atMs: performance.now() })
      const rooms = roomsOf.get(userId) ?? new Set()
      roomsOf.set(userId, rooms.add(message.room_id))
      forgetOld()
    },
    take(userId) {
      forgetOld()
      const keys = [...(roomsOf.get(userId) ?? [])].map((roomId) => `${userId} ${roomId}`)
      const messages = keys.map((key) => kept.get(key)!.message)
      for (const key of keys) forget(key)
      return messages.sort((one, other) => compareIds(one.id, other.id))
    },
  }
}
