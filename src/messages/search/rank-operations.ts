import { setImmediate as otherWork } from 'node:timers/promises'
import type { Db } from '../../database/client.ts'
import { compareIds } from '../../ids.ts'
import type { MessageKey, Search } from './queries.ts'
import { listFoldedTexts } from './rank-queries.ts'

/** The best messages are those among so many that match, the newest. */
export const rankedMessages = 200

/** So many letters, each counted once for each word, are compared in one turn of the event loop: a few milliseconds. */
const lettersOfTurn = 1_000_000

/** The number of words that a message has as whole ones, and the share of its text that all words have. */
type Ranked = MessageKey & { whole: number; share: number }

/**
 * Messages that match, the best first: those with the most words of the search as whole words, then those whose text has
 * the most of these words, then the newest.
 */
export async function rankMessages(
  db: Db,
  messages: readonly MessageKey[],
  { required }: Search,
): Promise<MessageKey[]> {
  if (messages.length === 0) return []
  const words = required.map((pattern) => pattern.slice(1, -1))
  const ranked: Ranked[] = []
  let turnEnd = lettersOfTurn
  for (const { text, room_id, id } of await listFoldedTexts(db, messages)) {
    const whole = words.filter((word) => text.includes(`${word.trimEnd()} `)).length
    const share = words.reduce((sum, word) => sum + countOf(word, text) * word.length, 0) / text.length
    ranked.push({ room_id, id, whole, share })
    turnEnd -= text.length * words.length
    if (turnEnd > 0) continue
    await otherWork()
    turnEnd = lettersOfTurn
  }
  return ranked.sort(
    (one, other) => other.whole - one.whole || other.share - one.share || compareIds(other.id, one.id),
  )
}

function countOf(word: string, text: string): number {
  return text.split(word).length - 1
}
