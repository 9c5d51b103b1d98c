import { expect, test } from 'vitest'
import type { Message } from '../../src/client/messages.ts'
import { compareIds } from '../../src/web/state/records.ts'
import type { Timeline } from '../../src/web/state/state.ts'
import {
  around,
  merge,
  mostKept,
  nextExplosion,
  withNewer,
  withNewest,
  withOlder,
  withoutExploded,
} from '../../src/web/state/timeline.ts'

function messages(...ids: number[]): Message[] {
  return ids.map((id) => ({ id: String(id) }) as Message)
}

function idsOf({ messages }: Pick<Timeline, 'messages'>): number[] {
  return messages.map(({ id }) => Number(id))
}

const known: Timeline = { messages: messages(8, 9, 10), hasOlder: true, hasNewer: false, isStale: true }

test('ids are compared as numbers', () => {
  expect(['10', '9', '100'].sort(compareIds)).toEqual(['9', '10', '100'])
})

test('lists merge without doubles, oldest first', () => {
  expect(idsOf({ messages: merge(messages(9, 11), messages(10, 11, 12)) })).toEqual([9, 10, 11, 12])
  expect(idsOf({ messages: merge(messages(9), messages(7, 8)) })).toEqual([7, 8, 9])
  expect(merge(messages(9, 10), [{ id: '9', content: 'new' } as Message])[0]?.content).toBe('new')
})

test('older pages go before, and a short one is the last', () => {
  expect(withOlder(known, messages(6, 7), 2)).toMatchObject({ hasOlder: true })
  expect(idsOf(withOlder(known, messages(7), 2))).toEqual([7, 8, 9, 10])
  expect(withOlder(known, messages(7), 2).hasOlder).toBe(false)
})

test('after a lost connection the newest page joins what it reaches', () => {
  const next = withNewest(known, messages(9, 11), 2)
  expect(idsOf(next)).toEqual([8, 9, 11])
  expect(next).toMatchObject({ hasOlder: true, isStale: false })
})

test('where the newest page leaves a gap, what was known before it goes', () => {
  const next = withNewest(known, messages(12, 13), 2)
  expect(idsOf(next)).toEqual([12, 13])
  expect(next.hasOlder).toBe(true)
})

test('a short page is the whole room', () => {
  expect(withNewest(known, messages(10), 2)).toEqual({
    messages: messages(10),
    hasOlder: false,
    hasNewer: false,
    isStale: false,
  })
})

test('around a message, half a page on either side says that there is more', () => {
  expect(around('3', messages(2, 3, 4, 5), 4)).toMatchObject({ hasOlder: true, hasNewer: true })
  expect(around('1', messages(1, 2, 3), 4)).toMatchObject({ hasOlder: false, hasNewer: true })
  expect(around('3', messages(2, 3, 4), 4)).toMatchObject({ hasOlder: true, hasNewer: false })
})

test('what explodes next is found, and what has exploded is gone', () => {
  const at = (id: string, explodes_at: number | null) => ({ id, explodes_at }) as Message
  const timeline = {
    messages: [at('1', null), at('2', 20), at('3', 10)],
    hasOlder: false,
    hasNewer: false,
    isStale: false,
  }
  const quiet = { ...timeline, messages: [at('4', null)] }
  expect(nextExplosion({ a: timeline, b: quiet })).toBe(10)
  expect(nextExplosion({ b: quiet })).toBe(undefined)
  const left = withoutExploded({ a: timeline, b: quiet }, 10)
  expect(left.a?.messages.map(({ id }) => id)).toEqual(['1', '2'])
  expect(left.b).toBe(quiet)
})

test('only so many messages are kept: those that are far are dropped, and known to be there', () => {
  const many = Array.from({ length: mostKept }, (_, index) => index + 101)
  const full: Timeline = { messages: messages(...many), hasOlder: true, hasNewer: false, isStale: false }
  const older = withOlder(full, messages(99, 100), 2)
  expect(older.messages).toHaveLength(mostKept)
  expect([older.messages[0]?.id, older.hasOlder, older.hasNewer]).toEqual(['99', true, true])
  const newer = withNewer({ ...full, hasOlder: false, hasNewer: true }, messages(9001), 2)
  expect(newer.messages).toHaveLength(mostKept)
  expect([newer.messages.at(-1)?.id, newer.hasOlder, newer.hasNewer]).toEqual(['9001', true, false])
  expect(withOlder({ ...full, messages: messages(5) }, messages(4), 2).hasNewer).toBe(false)
})
