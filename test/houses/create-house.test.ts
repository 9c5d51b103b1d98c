import { expect, test } from 'vitest'
import { newHousePermissions } from '../../src/houses/permissions.ts'
import { fillMemberships, houseRow, membersOf, watching } from '../support/houses.ts'
import { picture, svg } from '../support/pictures.ts'
import { isDiscarded } from '../support/store.ts'
import { untilWaiting } from '../support/waiting.ts'
import { call, db, failure, noAuth, store, user } from '../support/world.ts'

const nameMissing = failure('invalid_schema', 'Required fields (name) not met')
const noImage = failure('invalid_icon_file_format', 'Your icon must be an image')

test('creation returns the house with its first room, and sends an event to the owner', async () => {
  const ann = await user()
  const body = { name: 'Ann’s den', description: 'tea\nand cake', owner_id: '5', type: 7 }
  const { answer, events } = await watching(() => call(ann, 'POST', '/houses', body))
  expect(answer.status).toBe(200)
  const { id, rooms } = answer.body.data
  expect(answer.body).toEqual({
    success: true,
    data: {
      id: expect.stringMatching(/^[1-9][0-9]*$/),
      name: 'Ann’s den',
      description: 'tea\nand cake',
      owner_id: ann.id,
      rooms: [{ id: rooms[0].id, house_id: id, name: 'general', position: 0, type: 0 }],
      type: 0,
    },
  })
  expect(events).toEqual([{ type: 'member_joined', house_id: id, user_id: ann.id }])
  expect(await houseRow(id)).toMatchObject({
    name: 'Ann’s den',
    description: 'tea\nand cake',
    icon: null,
    owner_id: ann.id,
    default_permissions: newHousePermissions,
  })
  expect(await membersOf(id)).toEqual([ann.id])
})

test('a new house has one entity named Rooms that points to its room general', async () => {
  const ann = await user()
  const { id } = (await call(ann, 'POST', '/houses', { name: 'Den' })).body.data
  const { data } = (await call(ann, 'GET', `/houses/${id}`)).body
  expect(data.entities).toEqual([
    {
      id: expect.any(String),
      house_id: id,
      name: 'Rooms',
      type: 1,
      position: 0,
      resource_pointers: [{ resource_type: 'room', resource_id: data.rooms[0].id }],
    },
  ])
  expect(data.rooms).toMatchObject([{ name: 'general', type: 0, position: 0 }])
  expect(data.description).toBe(null)
})

test('an icon is stored under its house; a null icon means none', async () => {
  const ann = await user()
  const icon = `data:image/png;base64,${(await picture()).toString('base64')}`
  const { id } = (await call(ann, 'POST', '/houses', { name: 'Den', icon })).body.data
  const file = (await houseRow(id))?.icon
  expect(file).toMatch(/^[0-9a-f]{40}\.webp$/)
  expect(await store.find(`houses/${id}/icons/${file}`)).toBeDefined()
  expect(await isDiscarded(`houses/${id}/icons/${file}`)).toBe(false)
  const bare = await call(ann, 'POST', '/houses', { name: 'Den', icon: null, description: null })
  expect(await houseRow(bare.body.data.id)).toMatchObject({ icon: null, description: null })
})

test('creation by an account that is being deleted answers no_auth', async () => {
  const ann = await user()
  const [making] = await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', ann.id).execute()
    const making = call(ann, 'POST', '/houses', { name: 'Den' })
    await untilWaiting(1)
    return [making]
  })
  expect((await making!).body).toEqual(noAuth)
  expect(await db.selectFrom('houses').select('id').where('owner_id', '=', ann.id).execute()).toEqual([])
})

test('a missing or wrong name answers invalid_schema, and creates no house', async () => {
  const ann = await user()
  const names = [undefined, null, 5, '', ' \u3000', 'a\nb', 'x'.repeat(101), '\u0000', '\ud800', ['Den']]
  for (const name of names) {
    const answer = await call(ann, 'POST', '/houses', { name, icon: 'x', description: 5 })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(nameMissing)
  }
  for (const more of [{ payload: '' }, { payload: 'null' }, { payload: ' {} ' }]) {
    const headers = { 'content-type': 'application/json' }
    expect((await call(ann, 'POST', '/houses', undefined, { ...more, headers })).body).toEqual(nameMissing)
  }
  expect((await call(ann, 'GET', '/users/@me/houses')).body.data).toEqual([])
})

test('a name of 100 code points is accepted and stored unchanged', async () => {
  const ann = await user()
  const name = '🏠'.repeat(100)
  expect((await call(ann, 'POST', '/houses', { name })).body.data.name).toBe(name)
})

test('an icon or description of the wrong type answers invalid_schema with their names', async () => {
  const ann = await user()
  const answer = await call(ann, 'POST', '/houses', { name: 'Den', description: 'x'.repeat(513), icon: 5 })
  expect(answer.body).toEqual(failure('invalid_schema', 'Invalid fields (icon, description)'))
})

test('faulty base64 and no image answer invalid_icon_file_format, and create no house', async () => {
  const ann = await user()
  for (const icon of ['', 'abc', '####', 'data:image/png,xyz', 'aGVsbG8=', svg.toString('base64')]) {
    const answer = await call(ann, 'POST', '/houses', { name: 'Den', icon })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noImage)
  }
  expect(await db.selectFrom('houses').select('id').where('owner_id', '=', ann.id).execute()).toEqual([])
})

test('an icon over 8 MiB and a body over 12 MiB answer payload_too_large', async () => {
  const ann = await user()
  const icon = Buffer.alloc(8 * 1024 * 1024 + 1).toString('base64')
  for (const body of [
    { name: 'Den', icon },
    { name: 'Den', icon: 'A'.repeat(12 * 1024 * 1024) },
  ]) {
    const answer = await call(ann, 'POST', '/houses', body)
    expect(answer.status).toBe(413)
    expect(answer.body).toEqual(failure('payload_too_large', 'The request is too large'))
  }
})

test('a wrong content type answers 415', async () => {
  const ann = await user()
  const headers = { 'content-type': 'text/plain' }
  const answer = await call(ann, 'POST', '/houses', { name: 'Den' }, { headers })
  expect(answer.status).toBe(415)
  expect(answer.body).toEqual(failure('internal_server_error', 'Something went wrong internally'))
})

test('GET /houses answers 404 not_found', async () => {
  const answer = await call(await user(), 'GET', '/houses')
  expect(answer.status).toBe(404)
  expect(answer.body).toEqual(failure('not_found', 'Not found'))
})

test('of many concurrent creations those past the hundredth house answer limit_reached', async () => {
  const [ann, ben] = [await user(), await user()]
  await fillMemberships(ann, ben, 97)
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => call(ann, 'POST', '/houses', { name: 'Den' })),
  )
  const refused = answers.filter((answer) => answer.status !== 200)
  expect(refused.map((answer) => answer.body)).toEqual(
    Array(3).fill(failure('limit_reached', 'You have reached a limit (houses)')),
  )
  expect((await call(ann, 'GET', '/users/@me/houses')).body.data).toHaveLength(100)
  // A faulty icon is refused first.
  expect((await call(ann, 'POST', '/houses', { name: 'Den', icon: '####' })).body).toEqual(noImage)
})
