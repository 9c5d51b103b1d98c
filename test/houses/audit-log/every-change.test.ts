import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { auditRows } from '../../support/audit-log.ts'
import { matrix, type Row } from '../../support/matrix.ts'
import { prepare } from '../../support/matrix-requests.ts'
import { makeScene } from '../../support/scenes.ts'
import { db } from '../../support/world.ts'

// Every route that changes something in a house writes an entry (docs/api.md#audit-log), unless it is named here.

const everybodyMay = [
  'POST /rooms/{id}/messages',
  'POST /rooms/{id}/media_messages',
  'PATCH /rooms/{id}/messages/{message_id}',
  'POST /rooms/{id}/messages/{message_id}',
  'POST /rooms/{id}/messages/{message_id}/ack',
  'POST /rooms/{id}/typing',
  'PUT /rooms/{id}/messages/{message_id}/reactions/{emoji}',
  'DELETE /rooms/{id}/messages/{message_id}/reactions/{emoji}',
  'POST /invites/{code}',
  'PUT /users/@me/settings/room_overrides/{room_id}',
]
/** The first two end the membership, and the house with its log; the others are about an own message. */
const ownAffairs = [
  'DELETE /users/@me/houses/{id}',
  'DELETE /houses/{id}',
  'DELETE /rooms/{id}/messages/{message_id} (the own)',
  'DELETE /houses/{house_id}/rooms/{id}/messages/{message_id} (the own)',
]

function nameOf({ route, when }: Row): string {
  return when === undefined ? route : `${route} (${when})`
}

const changes = matrix.filter((row) => {
  const isInHouse = row.reach === 'house' || row.reach === 'room'
  const isRefused = typeof (row.ok ?? 200) !== 'number'
  if (!isInHouse || isRefused || row.route.startsWith('GET')) return false
  return !everybodyMay.includes(row.route) && !ownAffairs.includes(nameOf(row))
})

await sql`create function fail() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`.execute(
  db,
)
await sql`create trigger fail before insert on audit_log for each row execute function fail()`.execute(db)
afterAll(() => sql`drop function fail cascade`.execute(db))

/** Lets entries fail, or not. */
async function fail(fails: boolean): Promise<void> {
  await sql`alter table audit_log ${sql.raw(fails ? 'enable' : 'disable')} trigger fail`.execute(db)
}

test.each(changes.map((row) => [nameOf(row), row] as const))(
  '%s writes an entry, or changes nothing',
  async (_name, row) => {
    await fail(false)
    const scene = await makeScene(row.reach, row.needs)
    const { id, owner } = scene.den!
    const icon = `${'a'.repeat(40)}.webp`
    await db.updateTable('houses').set({ icon }).where('id', '=', id).execute()
    const send = await prepare(row, scene, 'owner')
    const before = await everything(id)
    const entries = await auditRows(id)
    await fail(true)
    expect((await send()).status).toBe(500)
    expect(await everything(id)).toEqual(before)
    await fail(false)
    const answer = await send()
    expect(answer.status, answer.text).toBeLessThan(300)
    const added = (await auditRows(id)).slice(entries.length)
    expect(added.map(({ actor_id }) => actor_id)).toEqual([owner.id])
  },
)

/** The rows of a house, as text. */
async function everything(houseId: string): Promise<unknown> {
  const { rows } = await sql`
    select (select json_agg(houses) from houses where id = ${houseId}) as houses,
      (select json_agg(rooms order by id) from rooms where house_id = ${houseId}) as rooms,
      (select json_agg(roles order by id) from roles where house_id = ${houseId}) as roles,
      (select json_agg(entities order by id) from entities where house_id = ${houseId}) as entities,
      (select json_agg(members order by user_id) from members where house_id = ${houseId}) as members,
      (select json_agg(member_roles order by user_id, role_id) from member_roles where house_id = ${houseId}) as member_roles,
      (select json_agg(bans order by user_id) from bans where house_id = ${houseId}) as bans,
      (select json_agg(invites order by code) from invites where house_id = ${houseId}) as invites,
      (select max_age from house_retention where house_id = ${houseId}) as max_age,
      (select count(*) from webhooks where house_id = ${houseId}) as webhooks,
      (select count(*) from messages join rooms on rooms.id = room_id where rooms.house_id = ${houseId}) as messages`.execute(
    db,
  )
  return rows[0]
}
