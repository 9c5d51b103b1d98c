import { isStatementTimeout } from '../../database/availability/unavailable.ts'
import type { Db } from '../../database/client.ts'
import { greatestId } from '../../ids.ts'
import { examineNewest, newestMessages } from './newest-queries.ts'
import {
  examinePeriod,
  examineRoom,
  isInIndex,
  isSmallRoom,
  lengthOfPeriod,
  limitStatements,
  longestPeriod,
  matchesOfPeriod,
  periodStart,
} from './period-queries.ts'
import type { Examined, Search } from './queries.ts'

/** A search ends after the step in which this time is over, unless it has done little work by then. */
const searchMs = 150
/** With little work, too, it ends after this time: contents in some scripts take much longer to compare than others. */
const longestSearchMs = 2_000
/**
 * So much work does not end a search, however busy the machine is: what is looked up in so many full periods, or as many
 * messages that are examined.
 */
const minWork = 3
const examinedLikePeriod = 2_000
/** After a step that took more, the next period is shorter. */
const slowStepMs = 60
/** A period that takes more is given up: the index may know many deleted messages, which no limit counts. */
const longestStepMs = 100

/** The length that stands for the newest messages, which are examined without the index. */
const newestOnes = -1

/** What a search found, newest first. `next`: a search before this id finds the rest; undefined: there is none. */
export type Found = { messages: Examined['found']; next: string | undefined }

/** The part of a search that is left: from the first message on, before `end`, next in a period of which length. */
type Rest = {
  first: bigint
  end: bigint
  length: number
  longest: number
  /** What part of a full period the shortest one is. */
  share: number
  /** Whether all of it can be looked up at once. */
  isSmall: boolean
}

/**
 * Finds messages in steps from the newest to the oldest: first the newest ones, then periods, which become longer while
 * little is found. If too much of a period matches according to the index, it becomes shorter, down to the newest
 * messages before it. So no step reads much, whatever the search and however many messages there are.
 */
export async function findMessages(db: Db, search: Search): Promise<Found> {
  const startedAt = performance.now()
  const messages: Examined['found'] = []
  const chooseLength = createLengths()
  const end = BigInt(search.before ?? greatestId)
  let rest: Rest | undefined
  if (search.room_ids.length > 0 && search.author_ids?.length !== 0) rest = { ...unknownRest, end }
  let work = 0
  const mayGoOn = () => performance.now() - startedAt < (work < minWork ? longestSearchMs : searchMs)
  while (rest && messages.length < search.limit && mayGoOn()) {
    const stepAt = performance.now()
    const step = await examineRest(db, { ...search, limit: search.limit - messages.length }, rest)
    messages.push(...step.found)
    work += step.work
    rest = step.rest && { ...step.rest, length: chooseLength(rest, step.rest, performance.now() - stepAt) }
  }
  const isFull = messages.length >= search.limit
  return { messages, next: isFull ? messages.at(-1)!.id : rest && String(rest.end) }
}

const unknownRest = {
  first: 0n,
  length: newestOnes,
  longest: 0,
  share: 0,
  isSmall: false,
}

type Step = { found: Examined['found']; rest: Rest | undefined; work: number }

/** One step: what it found, and what is left after it. The end stays where it is if too much of the period matches. */
async function examineRest(db: Db, search: Search, rest: Rest): Promise<Step> {
  const older = { ...search, before: String(rest.end) }
  if (rest.length === newestOnes) return examineNewestOnes(db, older, rest)
  const { length } = rest
  if (rest.isSmall) return { found: (await examineRoom(db, older)).found, rest: undefined, work: 0 }
  const start = periodStart(length, rest.end - 1n)
  const examined = await unlessTooLong(db, (trx) => examinePeriod(trx, older, { start, length }))
  if (!examined) return { found: [], rest, work: minWork / 2 }
  const work = Math.max(rest.share * lengthOfPeriod(length), examined.count / examinedLikePeriod)
  if (examined.count === matchesOfPeriod) return { found: [], rest, work }
  return { found: examined.found, rest: start <= rest.first ? undefined : { ...rest, end: start }, work }
}

/** What a statement returns; undefined if PostgreSQL has ended it because it took too long. */
async function unlessTooLong(db: Db, run: (trx: Db) => Promise<Examined>): Promise<Examined | undefined> {
  try {
    return await db.transaction().execute(async (trx) => {
      await limitStatements(trx, longestStepMs)
      return run(trx)
    })
  } catch (error) {
    if (isStatementTimeout(error)) return undefined
    throw error
  }
}

async function examineNewestOnes(db: Db, search: Search, rest: Rest): Promise<Step> {
  const isFirst = rest.first === 0n
  const limit = isFirst ? newestMessages.first : newestMessages.further
  const { count, found, ...ids } = await examineNewest(db, search, limit)
  const work = count / examinedLikePeriod
  const [first, oldest, newest] = [ids.first, ids.oldest, ids.newest].map((id) => BigInt(id ?? 0))
  if (count < limit || oldest! <= BigInt(search.from ?? 0)) return { found, rest: undefined, work }
  const isFull = found.length === search.limit
  const usesIndex = isInIndex(search) && !search.is_pinned
  return {
    found,
    work,
    rest: {
      first: greater(first!, BigInt(search.from ?? 0)),
      end: oldest!,
      length: newestOnes,
      ...(usesIndex ? longestPeriod(count, newest! - oldest!) : { longest: newestOnes, share: 0 }),
      isSmall:
        isFirst && usesIndex && !isFull && search.room_ids.length === 1 && (await isSmallRoom(db, search)),
    },
  }
}

function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

/** Returns a function that chooses the length of the next step by where the last one ended and how long it took. */
function createLengths() {
  /** By length, the start of the latest period of which too much matches. */
  const crowded: bigint[] = []
  return (last: Rest, { end, longest }: Rest, stepMs: number): number => {
    if (end === last.end) crowded[last.length] = periodStart(last.length, end - 1n)
    let length = last.length
    if (stepMs < slowStepMs || length === newestOnes) length = Math.min(length + 1, longest)
    else length = Math.max(length - 1, 0)
    const tooLong = crowded.findIndex((start) => start !== undefined && end > start)
    return tooLong === -1 ? length : Math.min(length, tooLong - 1)
  }
}
