import { expect, test } from 'vitest'
import { toRows } from '../../src/web/messages/rows.ts'
import type { OutboxEntry } from '../../src/web/state/outbox.ts'
import type { Message } from '../../src/web/state/state.ts'

const minuteMs = 60_000
const noon = new Date(2026, 10, 23, 12).getTime()

function message(id: number, author: string, timestamp: number): Message {
  return { id: String(id), author_id: author, timestamp } as Message
}

/** Days, the mark of new messages, and messages: those that follow one of the same author in brackets. */
function shape(known: Parameters<typeof toRows>[0], unsent: OutboxEntry[] = []): string {
  const rows = toRows(known, unsent)
  return rows.map((row) => ('isFollowing' in row && row.isFollowing ? `(${row.key})` : row.key)).join(' ')
}

const all = { hasOlder: false, firstNew: undefined }

test('one author within five minutes and one day is one run', () => {
  const messages = [
    message(1, 'ann', noon),
    message(2, 'ann', noon + minuteMs),
    message(3, 'bob', noon + 2 * minuteMs),
    message(4, 'bob', noon + 7 * minuteMs),
  ]
  expect(shape({ ...all, messages })).toBe('day 1 1 (2) 3 4')
})

test('a day begins at midnight, also in a run', () => {
  const night = new Date(2026, 10, 24).getTime()
  const messages = [message(1, 'ann', night - minuteMs), message(2, 'ann', night)]
  expect(shape({ ...all, messages })).toBe('day 1 1 day 2 2')
})

test('rows stay the same when older messages come', () => {
  const messages = [1, 2, 3].map((id) => message(id, 'ann', noon + id * minuteMs))
  const rows = shape({ ...all, hasOlder: true, messages: messages.slice(1) })
  expect(rows).toBe('(3)')
  expect(shape({ ...all, messages }).endsWith(rows)).toBe(true)
})

test('the mark stands above what is new, and what is not sent at the end', () => {
  const messages = [message(1, 'ann', noon), message(2, 'bob', noon)]
  expect(toRows({ ...all, firstNew: '1', messages }, [])[0]).toMatchObject({ kind: 'day', isNew: true })
  const unsent = ['a', 'b'].map((nonce) => ({ nonce, user_id: 'bob' }) as OutboxEntry)
  expect(shape({ ...all, firstNew: '2', messages }, unsent)).toBe('day 1 1 new 2 (a) (b)')
})
