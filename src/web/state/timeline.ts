import type { Message } from '../../client/messages.ts'
import { compareIds } from './records.ts'
import type { ById, Timeline } from './state.ts'

/** The timeline with a message at its place, in the place of the same one if it is there. */
export function withMessage(timeline: Timeline, message: Message): Timeline {
  return { ...timeline, messages: merge(timeline.messages, [message]) }
}

/** Both lists without doubles, oldest first; of two forms of one message the second is taken. */
export function merge(before: readonly Message[], added: readonly Message[]): Message[] {
  const merged: Message[] = []
  let next = 0
  for (const message of before) {
    while (next < added.length && compareIds(added[next]!.id, message.id) < 0) merged.push(added[next++]!)
    merged.push(added[next]?.id === message.id ? keepReactions(message, added[next++]!) : message)
  }
  return merged.concat(added.slice(next))
}

/** A newer form of a message, with the reactions that are known where it has none: those of the gateway. */
function keepReactions({ reactions }: Message, newer: Message): Message {
  return newer.reactions === undefined && reactions ? { ...newer, reactions } : newer
}

/** So many messages of a room are kept: the farther ones are loaded again when one comes near. */
export const mostKept = 2_000

/** What is known after a page of older messages, oldest first, has come; fewer than `limit` are the oldest. */
export function withOlder(timeline: Timeline, page: readonly Message[], limit: number): Timeline {
  const messages = merge(timeline.messages, page)
  const hasNewer = timeline.hasNewer || messages.length > mostKept
  return { ...timeline, messages: messages.slice(0, mostKept), hasOlder: page.length === limit, hasNewer }
}

/** What is known after a page of newer messages has come. */
export function withNewer(timeline: Timeline, page: readonly Message[], limit: number): Timeline {
  const messages = merge(timeline.messages, page)
  return keepNewest({ ...timeline, messages, hasNewer: page.length === limit })
}

/** The timeline without the oldest messages, if there are too many. */
export function keepNewest(timeline: Timeline): Timeline {
  if (timeline.messages.length <= mostKept) return timeline
  return { ...timeline, messages: timeline.messages.slice(-mostKept), hasOlder: true }
}

/**
 * What is known after the newest page has come, oldest first. Older messages stay if the page reaches back to them, as
 * nothing is between then; within the page, what it lacks has been deleted.
 */
export function withNewest(before: Timeline | undefined, page: readonly Message[], limit: number): Timeline {
  const oldest = page[0]
  const known = before?.messages.at(-1)
  const isWhole = page.length < limit
  const reaches = known && oldest && compareIds(known.id, oldest.id) >= 0
  if (!before || isWhole || !reaches) return { ...loaded, messages: [...page], hasOlder: !isWhole }
  const older = before.messages.filter(({ id }) => compareIds(id, oldest.id) < 0)
  return { ...loaded, messages: [...older, ...page], hasOlder: before.hasOlder || older.length === 0 }
}

/** What is known of the page around a message; half of `limit` before and after are asked for, itself with those before. */
export function around(messageId: string, page: readonly Message[], limit: number): Timeline {
  const newer = page.filter(({ id }) => compareIds(id, messageId) > 0).length
  const hasOlder = page.length - newer === limit / 2
  return { messages: [...page], hasOlder, hasNewer: newer === limit / 2, isStale: false }
}

const loaded = { hasNewer: false, isStale: false }

/** Whether a message is gone: it would be among those that are known. */
export function lacks({ messages, hasOlder, hasNewer }: Timeline, id: string): boolean {
  const [oldest, newest] = [messages[0]?.id ?? id, messages.at(-1)?.id ?? id]
  const isWithin = (!hasOlder || compareIds(id, oldest) > 0) && (!hasNewer || compareIds(id, newest) < 0)
  return isWithin && !messages.some((message) => message.id === id)
}

/** When the next message of these timelines explodes, in ms since 1970; undefined if none does. */
export function nextExplosion(timelines: ById<Timeline>): number | undefined {
  let next: number | undefined
  for (const { messages } of Object.values(timelines)) {
    for (const { explodes_at } of messages) {
      if (explodes_at !== null && (next === undefined || explodes_at < next)) next = explodes_at
    }
  }
  return next
}

/** The timelines without the messages whose time has run out. */
export function withoutExploded(timelines: ById<Timeline>, now: number): ById<Timeline> {
  const isLeft = ({ explodes_at }: Message) => explodes_at === null || explodes_at > now
  return Object.fromEntries(
    Object.entries(timelines).map(([roomId, timeline]) => {
      const isWhole = timeline.messages.every(isLeft)
      return [roomId, isWhole ? timeline : { ...timeline, messages: timeline.messages.filter(isLeft) }]
    }),
  )
}
