import type { Db } from '../../database/client.ts'
import { compareIds } from '../../ids.ts'
import type { MessageKey, Search } from './queries.ts'
import { listFoldedTexts } from './rank-queries.ts'

/** The best messages are those among so many that match, the newest. */
export const rankedMessages = 200

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
  const ranked = (await listFoldedTexts(db, messages)).map(({ text, room_id, id }) => ({
    room_id,
    id,
    whole: words.filter((word) => text.includes(`${word.trimEnd()} `)).length,
    share: words.reduce((sum, word) => sum + countOf(word, text) * word.length, 0) / text.length,
  }))
  return ranked.sort(
    (one, other) => other.whole - one.whole || other.share - one.share || compareIds(other.id, one.id),
  )
}

function countOf(word: string, text: string): number {
  return text.split(word).length - 1
}
