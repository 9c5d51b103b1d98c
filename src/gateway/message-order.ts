import { waitAtMost } from '../deadline.ts'
import type { EventOf } from '../events/events.ts'
import { isGreaterId, nextId, smallerId } from '../ids.ts'
import type { Gap } from '../messages/missed-operations.ts'
import { createLastMessages } from './last-messages.ts'

type MessageFact = EventOf<'message_created' | 'message_updated' | 'message_deleted'>
type Created = EventOf<'message_created'>

/** Puts the messages that several processes send into the order of their ids, each once. */
export type MessageOrder = {
  /** Tells a fact, or holds it back until everything that belongs before it has been told. */
  pass(fact: MessageFact): void | Promise<void>
  /** Forgets the rooms where nothing was sent lately. */
  sweep(nowMs: number): void
  /** Drops what is held back, and counts all earlier messages as told. */
  startAgain(): void
  stop(): void
}

type MessageOrderParts = {
  /** How long a missing message is waited for. */
  waitMs: number
  /** Whether other processes send too: then the first message in a room, too, may be heard after its edit. */
  hearsLate(): boolean
  tell(fact: MessageFact): void | Promise<void>
  /** Reads the missing messages of a gap that are still there; undefined when they are too many to be told. */
  find(gap: Gap): Promise<Created[] | undefined>
  /** Called when the missing messages of a room cannot be told. */
  giveUp(roomId: string): void
}

/** The facts of one room that are held back, and how to stop waiting for what is looked up then. */
type Held = { facts: MessageFact[]; stopWaiting: () => void }

/**
 * Each new message names the one before it in its room (`after`); if that one has not been told yet, the new message is
 * held back. So are edits and deletions of a message that has not been told. When a missing message has not come within
 * `waitMs`, it is looked up with `find`.
 */
export function createMessageOrder({
  waitMs,
  hearsLate,
  tell,
  find,
  giveUp,
}: MessageOrderParts): MessageOrder {
  let lastMessages = createLastMessages()
  const heldOf = new Map<string, Held>()

  function pass(fact: MessageFact): void | Promise<void> {
    if (mustWait(fact)) return hold(fact)
    const told = release(fact)
    if (heldOf.has(fact.room_id)) releaseHeld(fact.room_id)
    return told
  }

  function mustWait(fact: MessageFact): boolean {
    const { room_id } = fact
    if (fact.type === 'message_created') {
      return typeof fact.after === 'string' && lastMessages.isUntold(room_id, fact.after)
    }
    const mayBeUntold = hearsLate() || lastMessages.get(room_id) !== undefined || heldOf.has(room_id)
    return mayBeUntold && lastMessages.isUntold(room_id, idOf(fact))
  }

  function hold(fact: MessageFact): void {
    const held = heldOf.get(fact.room_id)
    if (held) held.facts.push(fact)
    else heldOf.set(fact.room_id, { facts: [fact], stopWaiting: waitFor(fact.room_id) })
  }

  function waitFor(roomId: string): () => void {
    return waitAtMost(waitMs, () => void fillGap(roomId))
  }

  function release(fact: MessageFact): void | Promise<void> {
    if (fact.type === 'message_created') {
      if (fact.after !== undefined && isRepeated(fact)) return
      lastMessages.set(fact.room_id, fact.message.id)
    }
    return tell(fact)
  }

  function isRepeated({ room_id, message }: Created): boolean {
    const last = lastMessages.get(room_id)
    return last !== undefined && !isGreaterId(message.id, last)
  }

  /** Tells, in order, the held facts that need not wait any longer. */
  function releaseHeld(roomId: string): void {
    const held = heldOf.get(roomId)
    if (!held) return
    held.facts.sort(inOrder)
    for (let index = 0; index < held.facts.length; ) {
      if (mustWait(held.facts[index]!)) index += 1
      else void release(held.facts.splice(index, 1)[0]!)
    }
    if (held.facts.length > 0) return
    held.stopWaiting()
    heldOf.delete(roomId)
  }

  /** When the time is up: tells the missing messages that can be found, and then what waited for them in any case. */
  async function fillGap(roomId: string): Promise<void> {
    const held = heldOf.get(roomId)
    const facts = held?.facts.toSorted(inOrder) ?? []
    // Up to the newest: there may be a gap before each, and each would be waited for.
    const newest = facts.findLast((fact) => fact.type === 'message_created')
    if (newest) await tellMissing(newest)
    // The message itself is missing. When it still comes, it may be as it was before the edit or the deletion.
    else if (facts.length > 0) await tellMissingUpTo(facts.at(-1)!)
    releaseHeld(roomId)
    const left = heldOf.get(roomId)
    if (left) left.stopWaiting = waitFor(roomId)
  }

  async function tellMissing({ room_id, house_id, message, after: before }: Created): Promise<void> {
    // In a room that is not known, those before that one may be missing as well.
    const after = smallerId(lastMessages.toldUpTo(room_id), (BigInt(before!) - 1n).toString())
    await tellFound({ room_id, house_id, after, before: message.id })
    if (lastMessages.isUntold(room_id, before!)) lastMessages.set(room_id, before!)
  }

  async function tellMissingUpTo(fact: MessageFact): Promise<void> {
    const { room_id, house_id } = fact
    const [after, id] = [lastMessages.toldUpTo(room_id), idOf(fact)]
    await tellFound({ room_id, house_id, after, before: nextId(id) })
    if (lastMessages.isUntold(room_id, id)) lastMessages.set(room_id, id)
  }

  async function tellFound(gap: Gap): Promise<void> {
    const found = await find(gap).catch(() => undefined)
    if (!found) giveUp(gap.room_id)
    for (const fact of found ?? []) void release({ ...fact, after: null })
  }

  function stop(): void {
    for (const { stopWaiting } of heldOf.values()) stopWaiting()
    heldOf.clear()
  }

  return {
    pass,
    sweep: (nowMs) => lastMessages.sweep(nowMs),
    startAgain() {
      stop()
      lastMessages = createLastMessages()
    },
    stop,
  }
}

function idOf(fact: MessageFact): string {
  return fact.type === 'message_deleted' ? fact.message_id : fact.message.id
}

/** By message id; of one message, its creation first. */
function inOrder(one: MessageFact, other: MessageFact): number {
  const [oneId, otherId] = [idOf(one), idOf(other)]
  if (oneId !== otherId) return isGreaterId(oneId, otherId) ? 1 : -1
  return Number(other.type === 'message_created') - Number(one.type === 'message_created')
}
