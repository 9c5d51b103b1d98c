import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import {
  listRecipients,
  notePushed,
  takeDeleted,
  takeRead,
} from '../../src/accounts/push-subscriptions/notifying-queries.ts'
import {
  findDueSubscription,
  isUnread,
  listActiveSubscriptions,
  noteDelivery,
  noteFailure,
} from '../../src/accounts/push-subscriptions/sending-queries.ts'
import { ownWorld } from '../support/own-world.ts'
import { explain, statementsOf } from '../support/statements.ts'
import { databaseUrl, db } from '../support/world.ts'

await ownWorld()

/** Everything that grows with the people and what they write. */
const large = new Set([
  'blocks',
  'messages',
  'push_subscriptions',
  'pushed_rooms',
  'read_states',
  'room_recipients',
  'room_settings',
  'rooms',
  'settings',
  'users',
])

/** Three thousand people, each with a subscription, a group, what was pushed and what they have read there. */
beforeAll(async () => {
  const people = sql`generate_series(1, 3000) as n`
  await sql`insert into users (id, username, name, email)
    select n, 'crowd' || n, 'Crowd ' || n, 'crowd' || n || '@example.org' from ${people}`.execute(db)
  await sql`insert into sessions (id, user_id, token_hash)
    select n, n, sha256(n::text::bytea) from ${people}`.execute(db)
  await sql`insert into rooms (id, type, owner_id) select n, 2, n from ${people}`.execute(db)
  await sql`insert into room_recipients (room_id, user_id) select n, n from ${people}`.execute(db)
  await sql`insert into room_recipients (room_id, user_id) select n, n % 3000 + 1 from ${people}`.execute(db)
  await sql`insert into settings (user_id) select n from ${people}`.execute(db)
  await sql`insert into room_settings (user_id, room_id, notification_preference) select n, n, 0 from ${people}`.execute(
    db,
  )
  await sql`insert into blocks (user_id, target_id, type) select n, n % 3000 + 1, 4 from ${people} where n > 10`.execute(
    db,
  )
  await sql`insert into messages (room_id, id, author_id, device_id, content) select n, n, n, n, 'x' from ${people}`.execute(
    db,
  )
  await sql`insert into read_states (user_id, room_id, message_id) select n, n, n from ${people}`.execute(db)
  await sql`insert into push_subscriptions (id, user_id, session_id, endpoint, p256dh, auth)
    select n, n, n, 'https://push.example.org/' || n, 'key', 'secret' from ${people}`.execute(db)
  await sql`insert into pushed_rooms (user_id, room_id, message_id, count) select n, n, n, 1 from ${people}`.execute(
    db,
  )
  await sql`analyze`.execute(db)
})

const asked = {
  id: '1',
  room_id: '2',
  author_id: '2',
  user_ids: [],
  mentioned_ids: [],
  asks_recipients: true,
}
const statements: [string, () => Promise<unknown>, count?: number][] = [
  ['recipients of a message', () => listRecipients(db, [asked])],
  ['recipients of mentions', () => listRecipients(db, [{ ...asked, user_ids: ['3'], mentioned_ids: ['3'] }])],
  ['noting', () => notePushed(db, [{ user_id: '3', room_id: '2', message_id: '9', count: 1 }])],
  ['closing what was read', () => takeRead(db, [{ user_id: '5', room_id: '5' }])],
  ['closing what was deleted', () => takeDeleted(db, [{ room_id: '6', message_id: '6' }])],
  ['subscriptions', () => listActiveSubscriptions(db, ['7', '8'])],
  ['subscription', () => findDueSubscription(db, '7')],
  ['unread', () => isUnread(db, { room_id: '7', message_id: '7', user_id: '8' }), 2],
  ['delivery', () => noteDelivery(db, '7', true)],
  ['failure', () => noteFailure(db, '7', 1_000)],
]

test.each(statements)('%s: reads no large table from end to end', async (what, work, count = 1) => {
  const sent = await statementsOf(work)
  expect(sent).toHaveLength(count)
  for (const step of (await Promise.all(sent.map((each) => explain(databaseUrl, each)))).flat()) {
    if (!large.has(step['Relation Name'] ?? '')) continue
    expect(step['Node Type'], `${what}: ${step['Relation Name']}`).not.toBe('Seq Scan')
  }
})
