import { expect, test } from 'vitest'
import { newHousePermissions, permission } from '../../../src/houses/permissions.ts'
import { watching } from '../../support/houses.ts'
import { houseNotFound, noPermission, told } from '../../support/permissions.ts'
import { call, db, expectTime, failure, house, role, user } from '../../support/world.ts'

test('creation returns and stores the invite, and sends no event', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const limits = { max_uses: 1000, max_age: 31_536_000 }
  const { answer, events } = await watching(() => call(ben, 'POST', `/houses/${den.id}/invites`, limits))
  expect(answer.status).toBe(200)
  const { code, created_at } = answer.body.data
  expect(answer.body.data).toEqual({
    code: expect.stringMatching(/^[0-9A-Za-z]{6}$/),
    house_id: den.id,
    creator_id: ben.id,
    created_at: expectTime,
    max_age: 31_536_000,
    max_uses: 1000,
    uses: 0,
    type: 0,
  })
  const row = await db.selectFrom('invites').selectAll().where('code', '=', code).executeTakeFirstOrThrow()
  expect(row.expires_at!.getTime() - Date.parse(created_at)).toBe(31_536_000_000)
  expect(row).toMatchObject({ house_id: den.id, creator_id: ben.id, max_uses: 1000, uses: 0 })
  expect(events).toEqual([])
})

test('absent, null or 0 as max_uses or max_age means no limit', async () => {
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

test('without CREATE_INVITES creation answers no_permission', async () => {
  const [ann, ben] = [await user(), await user()]
  const default_permissions = newHousePermissions & ~permission.CREATE_INVITES
  const den = await house({ owner: ann, members: [ben], default_permissions })
  const make = () => call(ben, 'POST', `/houses/${den.id}/invites`, {})
  expect(told(await make())).toEqual([400, noPermission])
  await role(den, { allow: permission.CREATE_INVITES, members: [ben] })
  expect((await make()).status).toBe(200)
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [den, cat] = [await house({ owner: await user() }), await user()]
  for (const id of [den.id, '1', 'x']) {
    expect(told(await call(cat, 'POST', `/houses/${id}/invites`, {}))).toEqual([404, houseNotFound])
  }
})

test('of many concurrent creations those past 200 active invites answer limit_reached', async () => {
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
