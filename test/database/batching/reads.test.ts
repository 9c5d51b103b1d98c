import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isDatabaseUnavailable } from '../../../src/database/availability/unavailable.ts'
import { coalesce } from '../../../src/database/batching/coalesce.ts'
import { prepareRead, prepareTupleRead } from '../../../src/database/batching/reads.ts'
import { db, user } from '../../support/world.ts'

const readNumber = prepareRead(({ text }: { text: string }) => {
  return sql<{
    number: number
    pid: number
  }>`select ${text}::text::integer as number, pg_backend_pid() as pid`
})
const readUsername = prepareRead(({ id }: { id: string }) => {
  return sql<{ username: string }>`select username from users where id = ${id}`
})
const readDice = prepareRead(({ text }: { text: string }) => {
  return sql<{ dice: string }>`select gen_random_uuid() as dice, ${text}::text as text`
})
/** A read that waits while the lock is exclusive. */
const readDiceBehind = prepareRead(({ lock }: { lock: string }) => {
  return sql<{
    dice: string
  }>`select pg_advisory_xact_lock_shared(${lock}::bigint), gen_random_uuid() as dice`
})
const breakConnection = prepareRead(({ timeoutMs }: { timeoutMs: number }) => {
  return sql`select pg_terminate_backend(pg_backend_pid(), ${timeoutMs}::bigint)`
})

test('concurrent reads share a connection, and each gets its own rows', async () => {
  const answers = await Promise.all(['1', '2', '3'].map((text) => readNumber(db, { text })))
  expect(answers.flat().map((row) => row.number)).toEqual([1, 2, 3])
  expect(new Set(answers.flat().map((row) => row.pid)).size).toBe(1)
})

test('lists arrive as they were given, and lists that are written alike are not mistaken for each other', async () => {
  const readTexts = prepareRead(({ texts }: { texts: string[] }) => {
    return sql<{ texts: string[] }>`select ${texts}::text[] as texts`
  })
  const lists = [['a"', 'b'], ['a",b'], ['NULL', '', '12', '{}'], ['\\', "'", ' é🔥'], []]
  const answers = await Promise.all(lists.map((texts) => readTexts(db, { texts })))
  expect(answers.map((rows) => rows[0]!.texts)).toEqual(lists)
})

test('rows may be had as arrays of their columns, in and outside of a transaction', async () => {
  const readColumns = prepareTupleRead(({ id }: { id: string }) => {
    return sql<[string, number, null, Date]>`
      select ${id}::bigint as id, 2 as two, null::json as nothing, 'epoch'::timestamptz as time`
  })
  const row = ['1', 2, null, new Date(0)]
  expect(await readColumns(db, { id: '1' })).toEqual([row])
  expect(await db.transaction().execute((trx) => readColumns(trx, { id: '1' }))).toEqual([row])
})

test('distinguishes null from an empty string in concurrent reads', async () => {
  const readText = prepareRead(({ text }: { text: string | null }) => {
    return sql<{ text: string | null }>`select ${text}::text as text`
  })
  const answers = await Promise.all([null, ''].map((text) => readText(db, { text })))
  expect(answers).toEqual([[{ text: null }], [{ text: '' }]])
})

test('more reads than travel together are all answered', async () => {
  const texts = Array.from({ length: 200 }, (_, n) => String(n))
  const answers = await Promise.all(texts.map((text) => readNumber(db, { text })))
  expect(answers.flat().map((row) => String(row.number))).toEqual(texts)
})

test('a batch that is full leaves at once, what is asked for next goes in another, and each gets its own', async () => {
  const batches: number[] = []
  const readNumbers = coalesce<string, number>(
    async (db, texts) => {
      batches.push(texts.length)
      const answers = await Promise.all(texts.map((text) => readNumber(db, { text })))
      return answers.map((rows) => rows[0]!.number)
    },
    { fullAt: 4 },
  )
  const texts = ['1', '2', '3', '4', '5', '6']
  const answers = texts.map((text) => readNumbers(db, text))
  expect(batches).toEqual([4])
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5, 6])
  expect(batches).toEqual([4, 2])
})

test('of what is asked for at different moments two batches are under way at most, and the third follows', async () => {
  const batches: string[][] = []
  const answers: (() => void)[] = []
  const readLater = coalesce<string, string>(async (_db, texts) => {
    batches.push([...texts])
    await new Promise<void>((resolve) => answers.push(resolve))
    return texts
  })
  const asked = ['1', '2'].map(async (text) => readLater(db, text))
  await expect.poll(() => batches.length).toBe(1)
  asked.push(readLater(db, '3'))
  await expect.poll(() => batches.length).toBe(2)
  for (const text of ['4', '5']) {
    asked.push(readLater(db, text))
    await new Promise(setImmediate)
  }
  // Time enough for a read that does not wait.
  await readNumber(db, { text: '1' })
  expect(batches).toEqual([['1', '2'], ['3']])
  answers[0]!()
  await expect.poll(() => batches.length).toBe(3)
  for (const answer of answers) answer()
  expect(await Promise.all(asked)).toEqual(['1', '2', '3', '4', '5'])
  expect(batches[2]).toEqual(['4', '5'])
})

test('shares the rows of equal concurrent reads, and of no others', async () => {
  const [one, same, other] = await Promise.all(['a', 'a', 'b'].map((text) => readDice(db, { text })))
  const later = await readDice(db, { text: 'a' })
  expect(same).toEqual(one)
  expect(new Set([one, other, later].map((rows) => rows![0]!.dice)).size).toBe(3)
})

test('what is on its way already is not shared with who asks then: it may have been read before', async () => {
  const lock = '4711'
  const asked: Promise<{ dice: string }[]>[] = []
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${lock}::bigint)`.execute(trx)
    for (const waiting of [1, 2]) {
      asked.push(readDiceBehind(db, { lock }))
      await expect
        .poll(async () => {
          const { rows } = await sql<{ count: string }>`
            select count(*) from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`.execute(
            trx,
          )
          return Number(rows[0]!.count)
        })
        .toBe(waiting)
    }
  })
  const answers = await Promise.all(asked)
  expect(answers[0]).not.toEqual(answers[1])
})

test('a read that fails fails alone', async () => {
  const answers = await Promise.allSettled(['1', 'two', '3'].map((text) => readNumber(db, { text })))
  expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('a connection that breaks fails what travels over it as a database that is unavailable, and nothing after', async () => {
  const together = await Promise.allSettled([
    readNumber(db, { text: '1' }),
    breakConnection(db, { timeoutMs: 0 }),
    readNumber(db, { text: '2' }),
  ])
  const failures = together.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(failures.length).toBeGreaterThanOrEqual(1)
  expect(failures.every(isDatabaseUnavailable)).toBe(true)
  expect(await readNumber(db, { text: '3' })).toMatchObject([{ number: 3 }])
})

test('in a transaction a read sees what the transaction wrote', async () => {
  const { id } = await user()
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('users')
      .set({ username: `renamed${id}` })
      .where('id', '=', id)
      .execute()
    expect(await readUsername(trx, { id })).toEqual([{ username: `renamed${id}` }])
  })
})
