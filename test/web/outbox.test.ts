import { expect, test } from 'vitest'
import { ApiError } from '../../src/client/errors.ts'
import type { Message } from '../../src/client/messages.ts'
import { createOutbox, type OutboxEntry, type OutboxStorage } from '../../src/web/state/outbox.ts'

function memory(): OutboxStorage & { kept: Map<string, OutboxEntry> } {
  const kept = new Map<string, OutboxEntry>()
  return {
    kept,
    list: async () => [...kept.values()],
    put: async (entry) => void kept.set(entry.nonce, entry),
    remove: async (nonce) => void kept.delete(nonce),
  }
}

const unreachable = new ApiError({ code: 'unreachable', message: '', status: 0 })
const refused = new ApiError({ code: 'no_permission', message: '', status: 400 })

/** An outbox whose server does what `answer` says, and what it has been sent. */
function scene(answer: (entry: OutboxEntry) => void = () => {}, storage = memory()) {
  const sent: string[] = []
  const shown: string[] = []
  const waits: { ms: number; callback: () => void }[] = []
  const outbox = createOutbox({
    storage,
    send: async (entry) => {
      sent.push(entry.nonce)
      answer(entry)
      return { id: `m${entry.nonce}`, room_id: entry.room_id, content: entry.content } as Message
    },
    onSent: (message) => void shown.push(message.id),
    wait: (ms, callback) => waits.push({ ms, callback }),
  })
  const add = (nonce: string, room_id = 'r') => outbox.add({ nonce, user_id: 'u', room_id, content: nonce })
  return { outbox, storage, sent, shown, waits, add }
}

test('messages go in order, and leave the outbox and its storage', async () => {
  const { outbox, storage, sent, shown, add } = scene()
  await Promise.all(['1', '2', '3'].map((nonce) => add(nonce)))
  await expect.poll(() => storage.kept.size).toBe(0)
  expect(sent).toEqual(['1', '2', '3'])
  expect(shown).toEqual(['m1', 'm2', 'm3'])
  expect(outbox.entries.value).toEqual([])
})

test('while the server does not answer they wait, and later go in order with the same nonce', async () => {
  let isAway = true
  const { outbox, sent, waits, add } = scene(() => {
    if (isAway) throw unreachable
  })
  await add('1')
  await add('2')
  await expect.poll(() => waits.length).toBe(1)
  expect(outbox.entries.value.map(({ state }) => state)).toEqual(['waiting', 'waiting'])
  isAway = false
  waits[0]!.callback()
  await expect.poll(() => outbox.entries.value.length).toBe(0)
  expect(sent).toEqual(['1', '1', '2'])
})

test('waits grow up to a bound, and begin anew after a success', async () => {
  let isAway = true
  const { outbox, waits, add } = scene(() => {
    if (isAway) throw unreachable
  })
  await add('1')
  for (let i = 1; i < 8; i += 1) {
    await expect.poll(() => waits.length).toBe(i)
    waits[i - 1]!.callback()
  }
  await expect.poll(() => waits.length).toBe(8)
  expect(waits.map(({ ms }) => ms / 1000)).toEqual([2, 4, 8, 16, 30, 30, 30, 30])
  isAway = false
  outbox.resume()
  await expect.poll(() => outbox.entries.value.length).toBe(0)
})

test('after too many its room waits as long as the server says, whatever is written meanwhile', async () => {
  let isTooFast = true
  const { outbox, sent, waits, add } = scene(({ room_id }) => {
    if (isTooFast && room_id === 'r') {
      throw new ApiError({ code: 'rate_limit', message: '', status: 429, retryAfterMs: 3_000 })
    }
  })
  const before = Date.now()
  await add('1')
  await expect.poll(() => waits.map(({ ms }) => ms)).toEqual([3_000])
  expect(outbox.pauses.value.r).toBeGreaterThanOrEqual(before + 3_000)
  await add('2')
  await add('elsewhere', 'other')
  outbox.resume()
  await expect.poll(() => sent).toEqual(['1', 'elsewhere'])
  isTooFast = false
  waits[0]!.callback()
  expect(outbox.pauses.value).toEqual({})
  await expect.poll(() => outbox.entries.value).toEqual([])
  expect(sent).toEqual(['1', 'elsewhere', '1', '2'])
})

test('one that is refused stays, does not hold up the next, and can be tried again or discarded', async () => {
  let isRefused = true
  const { outbox, storage, sent, add } = scene(({ nonce }) => {
    if (nonce !== '2' && isRefused) throw refused
  })
  await Promise.all(['1', '2', '3'].map((nonce) => add(nonce)))
  await expect.poll(() => sent).toEqual(['1', '2', '3'])
  await expect.poll(() => outbox.entries.value.map(({ state }) => state)).toEqual(['failed', 'failed'])
  expect(outbox.entries.value[0]).toMatchObject({ nonce: '1', failure: 'no_permission' })
  isRefused = false
  await outbox.retry('1')
  await outbox.discard('3')
  expect(outbox.entries.value).toEqual([])
  expect(storage.kept.size).toBe(0)
})

test('a reply whose target is gone goes as an ordinary message, before what was written after it', async () => {
  const answered: (string | undefined)[] = []
  const { outbox, storage, sent } = scene(({ reply_to }) => {
    answered.push(reply_to?.id)
    if (reply_to) throw new ApiError({ code: 'message_not_found', message: '', status: 404 })
  })
  const reply_to = { id: 'gone', author: null, content: null }
  const entry = { user_id: 'u', room_id: 'r', content: 'x' }
  await Promise.all([outbox.add({ ...entry, nonce: '1', reply_to }), outbox.add({ ...entry, nonce: '2' })])
  await expect.poll(() => sent).toEqual(['1', '1', '2'])
  expect(answered).toEqual(['gone', undefined, undefined])
  await expect.poll(() => storage.kept.size).toBe(0)
})

test('what is left is sent by the next visit, before what is written then; not that of others', async () => {
  const first = scene(() => {
    throw unreachable
  })
  await first.add('1')
  await first.add('2')
  await first.storage.put({ ...first.storage.kept.get('1')!, nonce: 'x', user_id: 'other' })
  const second = scene(() => {}, first.storage)
  await second.outbox.restore('u')
  await second.add('3')
  await expect.poll(() => second.sent).toEqual(['1', '2', '3'])
  await expect.poll(() => [...first.storage.kept.keys()]).toEqual(['x'])
})

test('one older than its nonce is good for is left to the person', async () => {
  const { outbox, storage, sent } = scene()
  const day = 24 * 3_600_000
  const old = { nonce: '1', user_id: 'u', room_id: 'r', content: 'x', created_at: Date.now() - day }
  await storage.put({ ...old, state: 'sending' })
  await outbox.restore('u')
  expect(outbox.entries.value).toMatchObject([{ nonce: '1', state: 'failed', failure: 'waited_too_long' }])
  expect(sent).toEqual([])
})

test('the event that comes before the answer takes the place of one entry', async () => {
  let release = () => {}
  const answered = new Promise<void>((resolve) => {
    release = resolve
  })
  const entries = createOutbox({
    storage: memory(),
    send: async ({ room_id, content }) => {
      await answered
      return { id: 'm1', room_id, content } as Message
    },
    onSent: () => {},
  })
  await entries.add({ nonce: '1', user_id: 'u', room_id: 'r', content: 'same' })
  await entries.add({ nonce: '2', user_id: 'u', room_id: 'r', content: 'same' })
  await expect.poll(() => entries.entries.value[0]?.state).toBe('sending')
  entries.received({ id: 'm1', room_id: 'r', content: 'same' } as Message)
  expect(entries.entries.value.map(({ message_id }) => message_id)).toEqual(['m1', undefined])
  release()
  await expect.poll(() => entries.entries.value.length).toBe(0)
})

test('the event takes the place of an entry whose answer was lost', async () => {
  const { outbox, waits, add } = scene(() => {
    throw unreachable
  })
  await add('1')
  await add('2')
  await expect.poll(() => waits.length).toBe(1)
  outbox.received({ id: 'm1', room_id: 'r', content: '1' } as Message)
  // The second one was not tried yet: a message of its text is another one.
  outbox.received({ id: 'm2', room_id: 'r', content: '2' } as Message)
  expect(outbox.entries.value.map(({ message_id }) => message_id)).toEqual(['m1', undefined])
})

test('nothing is sent for a person who has logged out meanwhile', async () => {
  const storage = memory()
  const entry = { nonce: '1', user_id: 'u', room_id: 'r', content: 'x', created_at: Date.now() }
  await storage.put({ ...entry, state: 'waiting' })
  const { outbox, sent } = scene(() => {}, storage)
  const restored = outbox.restore('u')
  outbox.forget()
  await restored
  const other = outbox.restore('v')
  await other
  expect(outbox.entries.value).toEqual([])
  expect(sent).toEqual([])
  expect(storage.kept.size).toBe(1)
  await outbox.restore('u')
  await expect.poll(() => sent).toEqual(['1'])
})
