import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { maxListedMembers } from '../../src/gateway/settings.ts'
import { firstIdAt } from '../../src/ids.ts'
import { eraseDiscarded } from '../../src/storage/discard.ts'
import { listen, logIn } from '../support/gateway.ts'
import { ownWorld } from '../support/own-world.ts'
import { explain, statementsOf } from '../support/statements.ts'
import {
  call,
  databaseUrl,
  db,
  friends,
  house,
  message,
  oneToOne,
  type Person,
  role,
  store,
  user,
} from '../support/world.ts'

await ownWorld()

/** Everything that grows with the people, the houses and what they write. */
const large = new Set([
  'audit_log',
  'bans',
  'discarded_files',
  'friend_requests',
  'friendships',
  'houses',
  'invites',
  'member_roles',
  'members',
  'mentions',
  'messages',
  'read_states',
  'roles',
  'room_recipients',
  'rooms',
  'sessions',
  'users',
])

/** A page of messages, of mentions, or of members, and a few rows beside it. */
const pageRows = 210

let ann: Person
let bob: Person
let roomId: string
let privateId: string
let houseId: string
let messageId: string

beforeAll(async () => {
  ;[ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  ;[roomId, houseId] = [den.room_id, den.id]
  privateId = await oneToOne(ann, bob)
  await friends(ann, bob)
  await role(den, { members: [bob], position: 3 })
  await crowd()
  messageId = await message(roomId, ann, { content: 'look', mentions: [bob] })
  await sql`analyze`.execute(db)
})

/**
 * Three thousand people in the house, each with a house, rooms, friends, invites and messages of their own; bob has an
 * inbox out of all proportion.
 */
async function crowd(): Promise<void> {
  const people = sql`generate_series(1, 3000) as n`
  await sql`insert into users (id, username, name, email)
    select n, 'crowd' || n, 'Crowd ' || n, 'crowd' || n || '@example.org' from ${people}`.execute(db)
  await sql`insert into sessions (id, user_id, token_hash)
    select n, n, sha256(n::text::bytea) from ${people}`.execute(db)
  await sql`insert into houses (id, name, owner_id, default_permissions) select n, 'House', n, 3 from ${people}`.execute(
    db,
  )
  await sql`insert into members (house_id, user_id) select n, n from ${people}
    union all select ${houseId}::bigint, n from ${people}`.execute(db)
  await sql`insert into roles (id, house_id, name) select n, n, 'role' from ${people}`.execute(db)
  await sql`insert into member_roles (house_id, user_id, role_id) select n, n, n from ${people}`.execute(db)
  await sql`insert into rooms (id, type, house_id, name, position) select n, 0, n, 'general', 0 from ${people}`.execute(
    db,
  )
  await sql`insert into rooms (id, type, owner_id) select 10000 + n, 2, n from ${people}`.execute(db)
  await sql`insert into room_recipients (room_id, user_id) select 10000 + n, n from ${people}`.execute(db)
  await sql`insert into audit_log (house_id, id, actor_id, action, changes)
    select ${houseId}::bigint, ${firstIdAt(Date.now())}::bigint + n, 1 + n % 3000, 'action_' || chr(97 + n % 20), '[]'
    from generate_series(1, 20000) as n`.execute(db)
  await sql`insert into bans (house_id, user_id, created_by, created_at)
    select ${houseId}::bigint, n, 1, now() - n * interval '1 minute' from ${people}`.execute(db)
  await sql`insert into invites (code, house_id, creator_id)
    select lpad(n::text, 6, 'x'), n, n from ${people}`.execute(db)
  await sql`insert into friendships (user_low, user_high) select n, n + 1 from generate_series(1, 2999) as n`.execute(
    db,
  )
  await sql`insert into friend_requests (from_id, to_id) select n, n + 2 from generate_series(1, 2998) as n`.execute(
    db,
  )
  await sql`insert into messages (room_id, house_id, id, author_id, device_id, content, mentions)
    select case when n % 2 = 0 then ${roomId}::bigint else 1 + n % 3000 end,
      case when n % 2 = 0 then ${houseId}::bigint else 1 + n % 3000 end, n, 1 + n % 3000, 1, 'message ' || n, '{}'
    from generate_series(1, 20000) as n`.execute(db)
  await sql`insert into mentions (user_id, message_id, room_id, author_id)
    select 1 + n % 3000, n, ${roomId}::bigint, 1 from generate_series(2, 20000, 2) as n
    union all select ${bob.id}::bigint, n, ${roomId}::bigint, 1 from generate_series(2, 20000, 2) as n`.execute(
    db,
  )
  await sql`insert into read_states (user_id, room_id, message_id)
    select n, n, n from ${people} union all select n, ${roomId}::bigint, n from ${people}`.execute(db)
}

/** Refuses a statement that reads a large table from end to end, or sorts more than a page. */
async function holdPlans(what: string, work: () => Promise<unknown>, sorted = pageRows): Promise<void> {
  const statements = (await statementsOf(work)).filter((statement) => {
    return /^\s*(?:select|with|insert|update|delete)/i.test(statement.text) && !isEntry(statement)
  })
  expect(statements.length, what).toBeGreaterThan(0)
  for (const statement of statements) {
    for (const step of await explain(databaseUrl, statement)) {
      const told = `${what}: ${step['Node Type']} ${step['Relation Name'] ?? ''} in ${statement.text}`
      if (large.has(step['Relation Name'] ?? '')) expect(step['Node Type'], told).not.toBe('Seq Scan')
      if (/Sort/.test(step['Node Type'])) expect(step['Actual Rows'], told).toBeLessThanOrEqual(sorted)
    }
  }
}

/** An entry cannot be added twice, as its plan would do, and reads nothing. */
const isEntry = ({ text }: { text: string }) => text.startsWith('insert into "audit_log"')

/** An entry in the midst of the log. */
function entryId(): string {
  return String(BigInt(firstIdAt(Date.now())) + 10_000n)
}

/** The requests that clients make all the time, each with who makes it. */
const requests: [string, () => [Person | null, 'GET' | 'POST' | 'PATCH', string, unknown?]][] = [
  ['own user', () => [bob, 'GET', '/users/@me']],
  ['user by id', () => [null, 'GET', `/users/${ann.id}`]],
  ['user by name', () => [null, 'GET', `/users/${ann.username}`]],
  ['caller lookup', () => [bob, 'GET', '/users/@me/settings']],
  ['caller in room', () => [bob, 'POST', `/rooms/${roomId}/typing`]],
  ['house', () => [bob, 'GET', `/houses/${houseId}`]],
  ['own houses', () => [bob, 'GET', '/users/@me/houses']],
  ['rooms of a house', () => [bob, 'GET', `/houses/${houseId}/rooms`]],
  ['private rooms', () => [bob, 'GET', '/users/@me/rooms']],
  ['friends', () => [bob, 'GET', '/relationships/@me/friends']],
  ['friend requests', () => [bob, 'GET', '/relationships/@me/friend-requests']],
  ['members', () => [bob, 'GET', `/houses/${houseId}/members?limit=100`]],
  ['members after one', () => [bob, 'GET', `/houses/${houseId}/members?limit=100&after=1500`]],
  ['members by name', () => [bob, 'GET', `/houses/${houseId}/members?limit=100&q=crowd12`]],
  ['bans', () => [ann, 'GET', `/houses/${houseId}/bans`]],
  ['bans before one', () => [ann, 'GET', `/houses/${houseId}/bans?before=1500`]],
  ['bans around one', () => [ann, 'GET', `/houses/${houseId}/bans?around=1500&limit=100`]],
  ['one member', () => [ann, 'GET', `/houses/${houseId}/members/${bob.id}`]],
  ['invite', () => [null, 'GET', '/invites/xxxxx1']],
  ['invites of a house', () => [ann, 'GET', `/houses/${houseId}/invites`]],
  ['audit log', () => [ann, 'GET', `/houses/${houseId}/audit-log?limit=100`]],
  ['audit log of an actor', () => [ann, 'GET', `/houses/${houseId}/audit-log?user_id=7&limit=100`]],
  ['audit log of an action', () => [ann, 'GET', `/houses/${houseId}/audit-log?action=action_h`]],
  ['audit log before an entry', () => [ann, 'GET', `/houses/${houseId}/audit-log?before=${entryId()}`]],
  ['audit log around an entry', () => [ann, 'GET', `/houses/${houseId}/audit-log?around=${entryId()}`]],
  ['webhooks', () => [ann, 'GET', `/houses/${houseId}/webhooks`]],
  ['making an invite', () => [ann, 'POST', `/houses/${houseId}/invites`]],
  ['page of a room', () => [bob, 'GET', `/rooms/${roomId}/messages`]],
  ['message', () => [bob, 'GET', `/rooms/${roomId}/messages/${messageId}`]],
  ['mentions', () => [bob, 'GET', '/streams/@me/mentions']],
  ['feed', () => [bob, 'GET', '/streams/@me/feed?limit=20']],
  ['read state', () => [bob, 'GET', '/users/@me/read-state']],
  ['ack', () => [bob, 'POST', `/rooms/${roomId}/messages/${messageId}/ack`]],
  ['send', () => [bob, 'POST', `/rooms/${roomId}/messages`, { content: 'plain' }]],
  [
    'send with mentions and nonce',
    () => [bob, 'POST', `/rooms/${roomId}/messages`, { content: `<@${ann.id}>`, nonce: 'n' }],
  ],
  [
    'send in a private room',
    () => [bob, 'POST', `/rooms/${privateId}/messages`, { content: `<@${ann.id}>` }],
  ],
  ['edit', () => [ann, 'PATCH', `/rooms/${roomId}/messages/${messageId}`, { content: `<@${bob.id}> again` }]],
]

test.each(requests)(
  '%s reads no large table from end to end, and sorts no more than a page',
  async (what, request) => {
    await holdPlans(what, async () => {
      expect((await call(...request())).status).toBe(200)
    })
  },
)

test('a page of private rooms reads what is in no other rooms, however many there are', async () => {
  const cat = await user()
  await sql`insert into room_recipients (room_id, user_id) select 10000 + n, ${cat.id}::bigint
    from generate_series(1, 3000) as n`.execute(db)
  await holdPlans('page of private rooms', async () => {
    expect((await call(cat, 'GET', '/users/@me/rooms?limit=20')).body.data.length).toBe(20)
  })
  const statements = await statementsOf(() => call(cat, 'GET', '/users/@me/rooms?limit=20'))
  const [ids, places, ...wide] = statements.filter(({ text }) => /room_recipients|room_heads/.test(text))
  // Of the others no more than two index entries each.
  expect(ids!.text).toMatch(/select room_id from room_recipients/)
  expect(places!.text).toMatch(/room_heads[\s\S]*limit/)
  for (const step of (await Promise.all(wide.map((each) => explain(databaseUrl, each)))).flat()) {
    expect(step['Actual Rows'] * step['Actual Loops']).toBeLessThanOrEqual(40)
  }
})

test('a login on the gateway reads none either, and sorts no more than the members it shows', async () => {
  const app = await listen()
  await holdPlans('login', () => logIn(app, bob), maxListedMembers + 1)
})

test('the heir of a house is found without a look at the roles of each member', async () => {
  const den = await house({ owner: ann })
  await sql`insert into members (house_id, user_id) select ${den.id}::bigint, n from generate_series(1, 3000) as n`.execute(
    db,
  )
  const statements = await statementsOf(async () => {
    expect((await call(ann, 'DELETE', `/users/@me/houses/${den.id}`)).status).toBe(204)
  })
  const planned = statements.filter((statement) => !isEntry(statement))
  const plans = await Promise.all(planned.map((statement) => explain(databaseUrl, statement)))
  for (const step of plans.flat()) {
    if (step['Relation Name'] === 'member_roles') expect(step['Actual Loops']).toBeLessThan(10)
  }
})

test('a round of erasing reads no more than the files that it erases', async () => {
  await sql`insert into discarded_files (name)
    select 'attachments/1/' || sha256(n::text::bytea) from generate_series(1, 3000) as n`.execute(db)
  await holdPlans('erasing', async () => {
    expect(await eraseDiscarded(db, store)).toBe(100)
  })
  await sql`delete from discarded_files`.execute(db)
})

test('a feed behind a quiet time reads no more than a page of each room', async () => {
  // A room as old as what the crowd has said, years before the newest message.
  const cat = await user()
  await sql`insert into members (house_id, user_id) values (1, ${cat.id}), (${houseId}, ${cat.id})`.execute(
    db,
  )
  await sql`update room_heads set last_message_id = 20000 where room_id = 1`.execute(db)
  await holdPage(cat, `/streams/@me/feed?limit=20&before=${messageId}`, 20)
})

test('a search where few write reads nothing of what is said elsewhere, and no more of a house than its newest messages', async () => {
  await holdEmpty(/like all/, `/rooms/${privateId}/messages/search?q=message`, 2)
  await holdEmpty(/like all/, `/rooms/${roomId}/messages/search?q=message&author_id=${ann.id}`, 250)
  await holdEmpty(/like all/, `/houses/${houseId}/messages/search?q=message&author_id=${ann.id}`, 250)
})

test('a search for members by a rare name reads no other rows', async () => {
  await holdEmpty(/lower\(users.name\)/, `/houses/${houseId}/members?q=nobody`, 0)
})

test('a page of bans reads no others', async () => {
  const statements = await statementsOf(async () => {
    expect((await call(ann, 'GET', `/houses/${houseId}/bans?before=1500&limit=20`)).body.data.length).toBe(20)
  })
  const plans = await Promise.all(statements.map((statement) => explain(databaseUrl, statement)))
  const read = plans.flat().filter((step) => step['Relation Name'] === 'bans')
  expect(read.length).toBeGreaterThan(0)
  for (const step of read) expect(step['Actual Rows']).toBeLessThanOrEqual(20)
})

/** Refuses an empty answer if a step of its statements with such a text meets more rows. */
async function holdEmpty(text: RegExp, path: string, rows: number): Promise<void> {
  const statements = await statementsOf(async () => {
    expect((await call(bob, 'GET', path)).body.data).toEqual([])
  })
  const searches = statements.filter((statement) => text.test(statement.text))
  expect(searches.length).toBeGreaterThan(0)
  for (const search of searches) {
    for (const step of await explain(databaseUrl, search)) {
      const told = `${step['Node Type']} ${step['Relation Name'] ?? ''} in ${search.text}`
      expect(step['Actual Rows'], told).toBeLessThanOrEqual(rows)
    }
  }
}

/** Refuses a statement that reads more messages than the page has, of each room. */
async function holdPage(caller: Person, path: string, rows: number): Promise<void> {
  const statements = await statementsOf(async () => {
    expect((await call(caller, 'GET', path)).body.data.length).toBe(rows)
  })
  const plans = await Promise.all(statements.map((statement) => explain(databaseUrl, statement)))
  const read = plans.flat().filter((step) => step['Relation Name'] === 'messages')
  expect(read.length).toBeGreaterThan(0)
  for (const step of read) expect(step['Actual Rows']).toBeLessThanOrEqual(rows)
}
