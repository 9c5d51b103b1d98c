import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { firstIdAt } from '../../../src/ids.ts'
import { ownWorld } from '../../support/own-world.ts'
import { allPages, holding, nextPage, q, untilWaitingLong } from '../../support/search.ts'
import { explain, statementsOf } from '../../support/statements.ts'
import { call, databaseUrl, db, house, houseRoom, type Person, user } from '../../support/world.ts'

await ownWorld()

const [messages, roomCount, minutesApart] = [20_000, 30, 20]
/** A period of 99 days, the longest that is looked up in the index at once. */
const messagesOfPeriod = (2 ** 55 / 2 ** 22 / 60_000 / minutesApart) * 1.01
/** The most messages that one step reads. */
const examinedMessages = 1_000

let bob: Person
let houseUrl: string
let roomUrl: string
let readable: string[]

/**
 * Two houses in which the same was said for 277 days, a message every 20 minutes: one half of `ping`, the other of `pong`,
 * and `bygone` only in the older half. bob cannot read the last room.
 */
beforeAll(async () => {
  const ann = await user()
  bob = await user()
  const [den, other] = [await house({ owner: ann, members: [bob] }), await house({ owner: ann })]
  readable = [den.room_id]
  while (readable.length < roomCount) readable.push(await houseRoom(den))
  const hidden = await houseRoom(den, { default_deny: 2 })
  houseUrl = `/houses/${den.id}/messages/search?`
  roomUrl = `/rooms/${den.room_id}/messages/search?`
  const firstId = firstIdAt(Date.now() - messages * minutesApart * 60_000)
  for (const [house_id, rooms] of [
    [den.id, [...readable, hidden]],
    [other.id, [other.room_id]],
  ] as const) {
    await sql`
      insert into messages (room_id, house_id, id, author_id, device_id, content)
      select (${rooms}::bigint[])[1 + n % ${rooms.length}], ${house_id}, ${firstId}::bigint + ((n * ${minutesApart * 60_000}::bigint) << 22),
        ${ann.id}, 1, concat_ws(' ', case when n = 5 then 'alpha beta' else 'beta alpha' end, case when n % 2 = 0 then 'ping' else 'pong' end,
          case when n < ${messages / 2} then 'bygone' end, case when n % 4000 = 7 then 'rare' end,
          case when n % 3 = 0 then 'third' end, case when n % 100 = 50 then 'snail' end)
      from generate_series(1::integer, ${messages}) as n`.execute(db)
  }
  await sql`analyze messages`.execute(db)
})

const searches: [string, string][] = [
  ['a common word', 'alpha'],
  ['a rare word', 'rare'],
  ['a word that is no longer used', 'bygone'],
  ['words that never occur together', 'ping pong'],
  ['a phrase whose words are in every message', '"alpha beta"'],
  ['an exclusion of what every message has', '-alpha'],
  ['an excluded phrase that every message has', '-"beta alpha"'],
  ['an absent word', 'nowhere'],
]

test.each(searches)('no step of a search for %s reads more than its period', async (_, text) => {
  for (const url of [houseUrl, roomUrl]) {
    const statements = await statementsOf(async () => {
      expect((await call(bob, 'GET', url + q(text))).status).toBe(200)
    })
    const steps = statements.filter((statement) => /like all/.test(statement.text))
    expect(steps.length).toBeGreaterThan(0)
    for (const statement of steps) {
      for (const step of await explain(databaseUrl, statement)) {
        const limit = step['Node Type'] === 'Bitmap Index Scan' ? messagesOfPeriod : examinedMessages
        const told = `${step['Node Type']} in ${statement.text}`
        // The rows of a loop are a rounded average.
        const rows = (step['Actual Rows'] - 1) * step['Actual Loops']
        expect(rows, told).toBeLessThanOrEqual(limit)
      }
    }
  }
})

test('the pages of such searches have every result once, newest first', async () => {
  for (const [words, without] of [
    [['rare'], []],
    [['ping', 'pong'], []],
    [['bygone', 'third'], ['ping']],
  ] as [string[], string[]][]) {
    const text = [...words, ...without.map((word) => `-${word}`)].join(' ')
    expect(await allPages(bob, houseUrl + q(text), 100)).toEqual(await holding(readable, words, without))
  }
  expect(await allPages(bob, roomUrl + q('-alpha'), 100)).toEqual([])
  expect(await allPages(bob, roomUrl + q('third -"alpha beta"'), 100)).toEqual(
    await holding(readable.slice(0, 1), ['third'], []),
  )
})

/** Asks while messages are locked for longer than a search takes. */
async function delayed(url: string) {
  const { asking } = await db.transaction().execute(async (trx) => {
    await sql`lock table messages in access exclusive mode`.execute(trx)
    const asking = call(bob, 'GET', url)
    await untilWaitingLong()
    return { asking }
  })
  return asking
}

test('a search that has little to do ends with all results, however long it takes', async () => {
  const answer = await delayed(houseUrl + q('rare'))
  expect(answer.headers.link).toBeUndefined()
  expect(answer.body.data.map(({ id }: { id: string }) => id)).toEqual(await holding(readable, ['rare'], []))
})

test('a search that takes long ends before all is searched, and names the next page', async () => {
  const url = houseUrl + q('"alpha beta"')
  const first = await delayed(url)
  expect([first.status, first.body.data]).toEqual([200, []])
  expect(first.headers.link).toMatch(/^<\?q=%22alpha\+beta%22&before=\d+>; rel="next"$/)
  const rest = await allPages(bob, url, 100, nextPage(first))
  const { id } = await db
    .selectFrom('messages')
    .select('id')
    .where('content', 'like', 'alpha beta%')
    .where('room_id', '=', readable[5]!)
    .executeTakeFirstOrThrow()
  expect(rest).toEqual([id])
})

/** Makes comparing each message with a `snail` take 5 ms, so that a period with many takes too long. */
async function slowly<Result>(run: () => Promise<Result>): Promise<Result> {
  const { rows } = await sql<{ body: string }>`
    select prosrc as body from pg_proc where proname = 'search_text'`.execute(db)
  const define = (body: string) =>
    sql
      .raw(
        `create or replace function search_text(content text, attachment jsonb) returns text
        language plpgsql immutable as $function$${body}$function$`,
      )
      .execute(db)
  const { body } = rows[0]!
  const pause = `begin if strpos(content, 'snail') > 0 then perform pg_sleep(0.005); end if;`
  await define(body.replace('begin', pause))
  return run().finally(() => define(body))
}

test('a period that takes too long is searched in shorter ones', async () => {
  const found = await slowly(() => allPages(bob, houseUrl + q('snail'), 100))
  expect(found).toEqual(await holding(readable, ['snail'], []))
})
