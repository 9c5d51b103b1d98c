import { expect, test } from 'vitest'
import { newHousePermissions, permission } from '../../src/houses/permissions.ts'
import { call, db, failure, house, noAuth, role, user } from '../support/world.ts'

const noPermission = failure('no_permission', 'You do not have permission to do this')
const houseNotFound = failure('house_not_found', 'That house does not exist')

test('making an invite answers it, and it can be looked at without a token', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const answer = await call(ben, 'POST', `/houses/${den.id}/invites`, { max_uses: 1000, max_age: 31_536_000 })
  expect(answer.status).toBe(200)
  const { code, created_at } = answer.body.data
  const invite = {
    code: expect.stringMatching(/^[0-9A-Za-z]{6}$/),
    house_id: den.id,
    creator_id: ben.id,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    max_age: 31_536_000,
    max_uses: 1000,
    uses: 0,
    type: 0,
  }
  expect(answer.body.data).toEqual(invite)
  const row = await db.selectFrom('invites').selectAll().where('code', '=', code).executeTakeFirstOrThrow()
  expect(row.expires_at!.getTime() - Date.parse(created_at)).toBe(31_536_000_000)
  const seen = await call(null, 'GET', `/invites/${code}`)
  expect(seen.body.data).toEqual({
    code,
    invite,
    house: {
      id: den.id,
      name: 'Den',
      description: null,
      icon: null,
      banner: null,
      owner_id: ann.id,
      type: 0,
      member_count: 2,
      rooms: [],
      members: [],
    },
    counts: { house_members: 2 },
  })
})

test('nothing, null and 0 mean no limit', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  for (const body of [undefined, {}, { max_uses: null, max_age: null }, { max_uses: 0, max_age: 0 }]) {
    const answer = await call(ann, 'POST', `/houses/${den.id}/invites`, body)
    expect(answer.body.data).toMatchObject({ max_uses: null, max_age: null })
  }
})

test('a limit of wrong type or size answers invalid_schema', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  for (const [field, value] of [
    ['max_uses', -1],
    ['max_uses', 1001],
    ['max_uses', '5'],
    ['max_age', 31_536_001],
    ['max_age', 1.5],
  ] as const) {
    const answer = await call(ann, 'POST', `/houses/${den.id}/invites`, { [field]: value })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('invalid_schema', `Invalid fields (${field})`))
  }
})

test('making an invite needs CREATE_INVITES, membership and a token', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const default_permissions = newHousePermissions & ~permission.CREATE_INVITES
  const den = await house({ owner: ann, members: [ben], default_permissions })
  expect((await call(ben, 'POST', `/houses/${den.id}/invites`, {})).body).toEqual(noPermission)
  const stranger = await call(cat, 'POST', `/houses/${den.id}/invites`, {})
  expect(stranger.status).toBe(404)
  expect(stranger.body).toEqual(houseNotFound)
  expect((await call(null, 'POST', `/houses/${den.id}/invites`, {})).body).toEqual(noAuth)
  await role(den, { allow: permission.CREATE_INVITES, members: [ben] })
  expect((await call(ben, 'POST', `/houses/${den.id}/invites`, {})).status).toBe(200)
})

test('of many made at once, those past the two hundredth live invite answer limit_reached; dead ones do not count', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const rows = (count: number, more: object) =>
    Array.from({ length: count }, (_, i) => ({
      code: `${'max_uses' in more ? 'd' : 'l'}${String(i).padStart(5, '0')}`,
      house_id: den.id,
      creator_id: ann.id,
      ...more,
    }))
  await db.insertInto('invites').values(rows(197, {})).execute()
  await db
    .insertInto('invites')
    .values(rows(10, { max_uses: 1, uses: 1 }))
    .execute()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call(ann, 'POST', `/houses/${den.id}/invites`, {})),
  )
  const refused = answers.filter((answer) => answer.status !== 200)
  expect(refused.map((answer) => answer.body)).toEqual(
    Array(2).fill(failure('limit_reached', 'You have reached a limit (invites)')),
  )
})

test('listing invites answers the live ones, newest first, to who manages invites', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const codes: string[] = []
  for (let i = 0; i < 3; i++)
    codes.unshift((await call(ben, 'POST', `/houses/${den.id}/invites`)).body.data.code)
  await db
    .updateTable('invites')
    .set({ expires_at: new Date(0) })
    .where('code', '=', codes[1]!)
    .execute()
  const list = (caller: typeof ann | null) => call(caller, 'GET', `/houses/${den.id}/invites`)
  expect((await list(ann)).body.data.map((one: { code: string }) => one.code)).toEqual([codes[0], codes[2]])
  expect((await list(ben)).body).toEqual(noPermission)
  expect((await list(cat)).body).toEqual(houseNotFound)
  expect((await list(null)).body).toEqual(noAuth)
})

test('revoking an invite is for its creator and who manages invites, and holds at once', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  const make = async () => (await call(ben, 'POST', `/houses/${den.id}/invites`)).body.data.code
  const [own, managed] = [await make(), await make()]
  for (const caller of [cat, await user()]) {
    const answer = await call(caller, 'DELETE', `/invites/${own}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  expect((await call(null, 'DELETE', `/invites/${own}`)).body).toEqual(noAuth)
  expect((await call(ben, 'DELETE', `/invites/${own}`)).body.data).toEqual({ code: own, house_id: den.id })
  await role(den, { allow: permission.MANAGE_INVITES, members: [cat] })
  expect((await call(cat, 'DELETE', `/invites/${managed}`)).status).toBe(200)
  for (const code of [own, managed]) expect((await call(null, 'GET', `/invites/${code}`)).status).toBe(404)
})
