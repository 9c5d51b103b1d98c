/** 2019-07-08T00:00:00Z in ms: bits 63–22 of an id count from here. */
export const epochMs = 1562544000000

const maxId = 2n ** 63n - 1n
const maxSequence = 4095
/** An id that never exists. It replaces text that is not an id, so that the route answers as for an unknown id. */
export const unknownId = '0'
/** No id is greater. */
export const greatestId = String(maxId)

let node: number | null = 0
/** Starts at the epoch, so that a clock that is set before it (its battery is empty) does not make negative ids. */
let lastMs = epochMs
let sequence = 0

/** Thrown by `newId` while the process has no node number, as ids could collide with those of another process. */
export class NoNodeNumber extends Error {}

/** Sets the node number (0–1023) of this process; null: it has none. Claimed in `database/node-number.ts`. */
export function assignNodeNumber(number: number | null): void {
  node = number
}

/** The node number that ids are made with; null while the process has none. */
export function nodeNumber(): number | null {
  return node
}

/**
 * A new 64-bit id as a decimal string: 42 bits of ms since `epochMs`, 10 bits node, 12 bits sequence. Greater than
 * every id made here before, even when the clock steps back; past 4096 ids in a millisecond the next one is borrowed.
 */
export function newId(): string {
  if (node === null) throw new NoNodeNumber('the process has no node number')
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    sequence = 0
  } else if (sequence === maxSequence) {
    lastMs += 1
    sequence = 0
  } else {
    sequence += 1
  }
  return composeId(lastMs, node, sequence)
}

/** Makes every later id greater than this one, which another process may have made with a faster clock. */
export function makeIdsAfter(id: string): void {
  const ms = idTimeMs(id)
  if (ms >= lastMs) {
    lastMs = ms + 1
    sequence = -1
  }
}

/** The ids of a busy process, or of one with a slightly faster clock, are ahead of the clock by less than this, in ms. */
export const toleratedAheadMs = 5_000

/** How far the ids of this process are ahead of its clock, in ms: messages carry that time. 0 if they are not. */
export function idsAheadMs(): number {
  return Math.max(0, lastMs - Date.now())
}

function composeId(ms: number, nodeBits: number, sequenceBits: number): string {
  return ((BigInt(ms - epochMs) << 22n) | BigInt((nodeBits << 12) | sequenceBits)).toString()
}

/** When an id was made, in ms since 1970. */
export function idTimeMs(id: string): number {
  return Number(BigInt(id) >> 22n) + epochMs
}

/** The smallest id that could have been made at this time. */
export function firstIdAt(ms: number): string {
  return composeId(ms, 0, 0)
}

/** Whether a text is an id: a plain decimal number from 1 to 2^63 − 1, without sign or leading zero. */
export function isId(text: string): boolean {
  return /^[1-9][0-9]{0,18}$/.test(text) && (text.length < 19 || BigInt(text) <= maxId)
}

/** The text itself if it is an id, else `unknownId`. */
export function asId(text: string): string {
  return isId(text) ? text : unknownId
}

/** Whether an id is the greater one: ids are compared as the numbers that they write. */
export function isGreaterId(id: string, than: string): boolean {
  return id.length === than.length ? id > than : id.length > than.length
}

/** For sorting ids, the smallest first. */
export function compareIds(one: string, other: string): number {
  return Number(isGreaterId(one, other)) - Number(isGreaterId(other, one))
}

/** The id that follows in order, whether or not anybody has it. */
export function nextId(id: string): string {
  return String(BigInt(id) + 1n)
}
