import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { allPermissions, permission } from '../../src/houses/permissions.ts'
import { newId } from '../../src/ids.ts'
import { houseRow, watching } from '../support/houses.ts'
import { noPermission } from '../support/permissions.ts'
import { picture, svg } from '../support/pictures.ts'
import { isDiscarded } from '../support/store.ts'
import { untilWaiting } from '../support/waiting.ts'
import { call, db, failure, house, role, store, user } from '../support/world.ts'

const nameMissing = failure('invalid_schema', 'Required fields (name) not met')

test('an update returns name and id, and sends an event', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { answer, events } = await watching(() =>
    call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Nest', description: 'warm', owner_id: '5' }),
  )
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, data: { name: 'Nest', house_id: den.id } })
  expect(events).toEqual([{ type: 'house_updated', house_id: den.id }])
  expect(await houseRow(den.id)).toMatchObject({ name: 'Nest', description: 'warm', owner_id: ann.id })
})

test('an update that changes nothing sends no event; a null description clears it', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const same = await watching(() => call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den', icon: null }))
  expect(same.answer.body.data).toEqual({ name: 'Den', house_id: den.id })
  expect(same.events).toEqual([])
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den', description: 'warm' })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den' })
  expect((await houseRow(den.id))?.description).toBe('warm')
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den', description: null })
  expect((await houseRow(den.id))?.description).toBe(null)
})

test('changed default permissions send an event of the house, then of visibility', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const body = { name: 'Den', default_permissions: 3 }
  const { events } = await watching(() => call(ann, 'PATCH', `/houses/${den.id}`, body))
  expect(events).toEqual([
    { type: 'house_updated', house_id: den.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: null },
  ])
  expect((await houseRow(den.id))?.default_permissions).toBe(3)
})

test('an administrator may update and grant every bit; everybody else gets no_permission', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  await role(den, { allow: permission.ADMINISTRATOR, members: [ben] })
  await role(den, { allow: allPermissions & ~permission.ADMINISTRATOR, members: [cat] })
  const body = { name: 'New', icon: 'not base64!', default_permissions: allPermissions }
  for (const [caller, id] of [
    [cat, den.id],
    [dan, den.id],
    [ann, newId()],
    [ann, 'x'],
  ] as const) {
    const answer = await call(caller, 'PATCH', `/houses/${id}`, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  expect((await houseRow(den.id))?.name).toBe('Den')
  const grant = await call(ben, 'PATCH', `/houses/${den.id}`, { ...body, icon: null })
  expect(grant.status).toBe(200)
  expect((await houseRow(den.id))?.default_permissions).toBe(allPermissions)
})

test('a missing or wrong name answers invalid_schema, also with an icon and for a non-member', async () => {
  const den = await house({ owner: await user() })
  const stranger = await user()
  const icon = (await picture()).toString('base64')
  for (const body of [
    undefined,
    {},
    { icon },
    { name: null, icon },
    { name: ' ' },
    { name: 5, description: 5 },
  ]) {
    const answer = await call(stranger, 'PATCH', `/houses/${den.id}`, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(nameMissing)
  }
})

test('another field of wrong type or form answers invalid_schema with its name', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  for (const [field, value] of [
    ['icon', 5],
    ['description', ['x']],
    ['description', 'x'.repeat(513)],
    ['default_permissions', -1],
    ['default_permissions', 1048576],
    ['default_permissions', 1.5],
    ['default_permissions', null],
  ] as const) {
    const answer = await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'New', [field]: value })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('invalid_schema', `Invalid fields (${field})`))
  }
  expect((await houseRow(den.id))?.name).toBe('Den')
})

test('an icon of faulty base64 answers 500 invalid_schema without a change', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  for (const icon of ['####', 'abc', 'a=bc', 'data:image/png,x', '\ud800', 'aGVsbG8']) {
    const answer = await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'New', icon })
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual(nameMissing)
  }
  expect((await houseRow(den.id))?.name).toBe('Den')
})

test('an icon over 8 MiB answers payload_too_large, no image invalid_icon_file_format', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const large = Buffer.alloc(8 * 1024 * 1024 + 1).toString('base64')
  const tooLarge = await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'New', icon: large })
  expect(tooLarge.status).toBe(413)
  expect(tooLarge.body).toEqual(failure('payload_too_large', 'The request is too large'))
  const asLargeAsPicturesMayBe = Buffer.alloc(8 * 1024 * 1024).toString('base64')
  for (const icon of ['', 'aGVsbG8=', svg.toString('base64'), asLargeAsPicturesMayBe]) {
    const answer = await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'New', icon })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('invalid_icon_file_format', 'Your icon must be an image'))
  }
  expect((await houseRow(den.id))?.name).toBe('Den')
})

test('a new icon replaces and discards the old one; absent and null keep it', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const path = (file: string | null | undefined) => `houses/${den.id}/icons/${file}`
  const [one, other] = [await picture('jpeg'), await picture('webp')]
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den', icon: one.toString('base64') })
  const first = (await houseRow(den.id))?.icon
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den' })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den', icon: null })
  expect((await houseRow(den.id))?.icon).toBe(first)
  expect(await isDiscarded(path(first))).toBe(false)
  const replaced = await watching(() =>
    call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den', icon: other.toString('base64') }),
  )
  expect(replaced.events).toEqual([{ type: 'house_updated', house_id: den.id }])
  const second = (await houseRow(den.id))?.icon
  expect(second).not.toBe(first)
  expect(await isDiscarded(path(first))).toBe(true)
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den', icon: one.toString('base64') })
  expect((await houseRow(den.id))?.icon).toBe(first)
  expect(await isDiscarded(path(first))).toBe(false)
  expect(await isDiscarded(path(second))).toBe(true)
  expect(await store.find(path(first))).toBeDefined()
})

test('the same icon in concurrent updates is set, and its file kept', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const body = { name: 'Den', icon: (await picture()).toString('base64') }
  const answers = await db.transaction().execute(async (trx) => {
    await sql`select from houses where id = ${den.id} for no key update`.execute(trx)
    const edits = [1, 2].map(() => call(ann, 'PATCH', `/houses/${den.id}`, body))
    await untilWaiting(2)
    return edits
  })
  expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([200, 200])
  expect(await isDiscarded(`houses/${den.id}/icons/${(await houseRow(den.id))!.icon}`)).toBe(false)
})
