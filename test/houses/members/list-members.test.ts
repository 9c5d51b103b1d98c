import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Member } from '../../../src/houses/members/schemas.ts'
import type { Role } from '../../../src/houses/roles/schemas.ts'
import { newId } from '../../../src/ids.ts'
import { crowd, join } from '../../support/crowds.ts'
import { houseNotFound, told } from '../../support/permissions.ts'
import { rolesAs } from '../../support/roles.ts'
import { gatewayUser } from '../../support/rooms.ts'
import { statementsOf } from '../../support/statements.ts'
import {
  call,
  type Den,
  db,
  expectTime,
  failure,
  house,
  role,
  uniqueName,
  user,
} from '../../support/world.ts'

test('members are listed by user id, with roles highest first, of equal ones the older first', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ben, members: [ann] })
  const low = await role(den, { position: 1, members: [ann] })
  const older = newId()
  const high = await role(den, { position: 2, members: [ann] })
  await db.insertInto('roles').values({ id: older, house_id: den.id, name: 'x', position: 2 }).execute()
  await call(ben, 'PUT', `/houses/${den.id}/members/${ann.id}/roles/${older}`)
  const { status, body } = await call(ann, 'GET', `/houses/${den.id}/members`)
  expect(status).toBe(200)
  const form = (person: typeof ann, roles: Role[]) => ({
    id: person.id,
    user_id: person.id,
    house_id: den.id,
    user: gatewayUser(person),
    roles,
    presence: 'offline',
    last_permission_update: person === ann ? expectTime : null,
    joined_at: expectTime,
  })
  expect(body.data).toEqual([form(ann, await rolesAs(ann, den.id, [older, high, low])), form(ben, [])])
})

test('pages follow each other by `after`, without overlap or gap', async () => {
  const people = await Promise.all(Array.from({ length: 7 }, () => user()))
  const den = await house({ owner: people[0]!, members: people.slice(1) })
  const seen: string[] = []
  for (let after = '0'; ; after = seen.at(-1)!) {
    const { data } = (await call(people[3]!, 'GET', `/houses/${den.id}/members?limit=3&after=${after}`)).body
    if (data.length === 0) break
    seen.push(...data.map((one: { id: string }) => one.id))
  }
  expect(seen).toEqual(people.map((one) => one.id).sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)))
})

test('without a limit a page holds a hundred members', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const ids = Array.from({ length: 100 }, () => newId())
  await db
    .insertInto('users')
    .values(ids.map((id) => ({ id, username: `member-${id}`, name: 'm' })))
    .execute()
  await db
    .insertInto('members')
    .values(ids.map((user_id) => ({ house_id: den.id, user_id })))
    .execute()
  const count = async (query: string) => {
    return (await call(ann, 'GET', `/houses/${den.id}/members${query}`)).body.data.length
  }
  expect([await count(''), await count('?limit=1000')]).toEqual([100, 101])
})

test('`q` finds a prefix of name or username in either case, and no character is special', async () => {
  const ann = await user({ username: uniqueName('ann_a'), name: 'Zoe' })
  const ben = await user({ username: uniqueName('benny'), name: 'ÄNN%' })
  const cat = await user({ username: uniqueName('catann'), name: 'back\\slash' })
  const den = await house({ owner: ann, members: [ben, cat] })
  const find = async (q: string) => {
    const { data } = (await call(ann, 'GET', `/houses/${den.id}/members?q=${encodeURIComponent(q)}`)).body
    return data.map((one: { id: string }) => one.id)
  }
  expect(await find('ANN')).toEqual([ann.id])
  expect(await find('Ännn')).toEqual([])
  expect(await find('Änn%')).toEqual([ben.id])
  expect(await find('%')).toEqual([])
  expect(await find('ann_')).toEqual([ann.id])
  expect(await find('a__')).toEqual([])
  expect(await find('back\\')).toEqual([cat.id])
  expect(await find('')).toHaveLength(3)
})

test('a name of over a thousand users is found, page by page', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const twin = uniqueName('twin')
  const ids = Array.from({ length: 1_500 }, () => newId())
  await sql`insert into users (id, username, name)
    select id, ${twin} || '_' || n, case when n % 2 = 0 then 'Castor' else 'Pollux' end
    from unnest(${ids}::bigint[]) with ordinality as one (id, n)`.execute(db)
  const idOf = (n: number) => ids[n - 1]!
  await join(den, ids.slice(499))
  const find = async (query: string) => {
    const { data } = (await call(ann, 'GET', `/houses/${den.id}/members?${query}`)).body
    return data.map((one: { id: string }) => one.id)
  }
  expect(await find(`q=${twin.toUpperCase()}&limit=3`)).toEqual([500, 501, 502].map(idOf))
  expect(await find(`q=${twin}&limit=3&after=${idOf(1498)}`)).toEqual([1499, 1500].map(idOf))
  expect(await find(`q=pollux&limit=2&after=${idOf(1000)}`)).toEqual([1001, 1003].map(idOf))
  expect(await find(`q=${twin}_12&limit=2&after=${idOf(1200)}`)).toEqual([1201, 1202].map(idOf))
  expect(await find(`q=${twin}_12&limit=1000`)).toHaveLength(100)
  expect(await find(`q=${twin}_1`)).not.toContain(idOf(2))
})

test('a response has at most 3.5 MiB, whatever the roles, and the rest follows by `after`', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const roleIds = await heavyRoles(den, 125)
  const ids = await crowd(280)
  await sql`insert into members (house_id, user_id) select ${den.id}::bigint, unnest(${ids}::bigint[])`.execute(
    db,
  )
  await sql`insert into member_roles (house_id, user_id, role_id)
    select ${den.id}::bigint, user_id, role_id
    from unnest(${ids}::bigint[]) as user_id, unnest(${roleIds}::bigint[]) as role_id`.execute(db)
  const list = (after: string) => call(ann, 'GET', `/houses/${den.id}/members?limit=1000&after=${after}`)
  const first = await statementsOf(() => list(ann.id))
  const reads = first.filter(({ text }) => text.includes('member_roles') && !text.includes('json_agg'))
  expect(reads.map(({ values }) => values.at(-1))).toEqual([250])
  const seen: string[] = []
  const pages: number[] = []
  for (let after = ann.id; ; after = seen.at(-1)!) {
    const { text, body } = await list(after)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3.5 * 1024 * 1024)
    if (body.data.length === 0) break
    pages.push(body.data.length)
    seen.push(...body.data.map((one: Member) => one.id))
    for (const { roles } of body.data as Member[]) {
      expect(roles.map((each) => each.id)).toEqual(roleIds.toReversed())
    }
  }
  expect(seen).toEqual(ids)
  // As many as fit: about 53 kB each.
  expect(pages[0]).toBeGreaterThan(50)
})

test('a page of many hundred members contains each once', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const ids = await crowd(700)
  await sql`insert into members (house_id, user_id) select ${den.id}::bigint, unnest(${ids}::bigint[])`.execute(
    db,
  )
  const listed = async (limit: number) => {
    const { data } = (await call(ann, 'GET', `/houses/${den.id}/members?limit=${limit}`)).body
    return data.map((one: Member) => one.id)
  }
  expect(await listed(1_000)).toEqual([ann.id, ...ids])
  expect(await listed(600)).toEqual([ann.id, ...ids.slice(0, 599)])
})

/** Roles with the longest names, the lowest first. */
async function heavyRoles(den: Den, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, position) => {
    return { id: newId(), house_id: den.id, name: '🚀'.repeat(64), position }
  })
  await db.insertInto('roles').values(rows).execute()
  return rows.map((row) => row.id)
}

test('a malformed query answers invalid_schema', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  for (const [field, value] of [
    ['limit', '0'],
    ['limit', '1001'],
    ['limit', 'x'],
    ['after', '-1'],
    ['after', '9999999999999999999'],
    ['after', ''],
    ['q', '%00'],
    ['q', 'x'.repeat(65)],
  ]) {
    const answer = await call(ann, 'GET', `/houses/${den.id}/members?${field}=${value}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('invalid_schema', `Invalid fields (${field})`))
  }
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [den, ben] = [await house({ owner: await user() }), await user()]
  for (const id of [den.id, '1', 'x']) {
    expect(told(await call(ben, 'GET', `/houses/${id}/members`))).toEqual([404, houseNotFound])
  }
})
