import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { newId } from '../../src/ids.ts'
import { attach, houseRow, membersOf, watching } from '../support/houses.ts'
import { noPermission } from '../support/permissions.ts'
import { untilDiscarded } from '../support/store.ts'
import { whileFileIsSent } from '../support/waiting.ts'
import { call, db, house, houseRoom, message, role, user } from '../support/world.ts'

test('deletion by the owner answers 204 without body and type, and deletes all rows and files', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const icon = `${'a'.repeat(40)}.webp`
  await db.updateTable('houses').set({ icon }).where('id', '=', den.id).execute()
  await role(den, { members: [ben] })
  const second = await houseRoom(den)
  await message(second, ben, { mentions: [ann] })
  const files = [
    await attach(den.room_id, await message(den.room_id, ben)),
    await attach(second, await message(second, ben)),
  ]
  const { answer, events } = await watching(() => call(ann, 'DELETE', `/houses/${den.id}`))
  expect(answer.status).toBe(204)
  expect(answer.text).toBe('')
  expect(answer.headers['content-type']).toBeUndefined()
  expect(events).toEqual([{ type: 'house_deleted', house_id: den.id }])
  expect(await houseRow(den.id)).toBeUndefined()
  for (const table of ['members', 'member_roles', 'roles', 'entities', 'rooms', 'invites', 'bans'] as const) {
    expect(await db.selectFrom(table).selectAll().where('house_id', '=', den.id).execute()).toEqual([])
  }
  expect(await db.selectFrom('mentions').selectAll().where('room_id', '=', second).execute()).toEqual([])
  for (const file of [...files, `houses/${den.id}/icons/${icon}`]) await untilDiscarded(file)
})

test('the file of a message that is sent concurrently is discarded', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { answer, file } = await whileFileIsSent(den.room_id, ann, () =>
    call(ann, 'DELETE', `/houses/${den.id}`),
  )
  expect(answer.status).toBe(204)
  await untilDiscarded(file)
})

test('deletion by an administrator or a non-member, or of an unknown house, answers no_permission', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await role(den, { allow: permission.ADMINISTRATOR, members: [ben] })
  const attempts = [
    await call(ben, 'DELETE', `/houses/${den.id}`),
    await call(cat, 'DELETE', `/houses/${den.id}`),
    await call(ann, 'DELETE', `/houses/${newId()}`),
    await call(ann, 'DELETE', '/houses/x'),
  ]
  for (const answer of attempts) {
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  expect(await membersOf(den.id)).toEqual([ann.id, ben.id])
})

test('of concurrent deletions one answers 204 and the others no_permission', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { answer, events } = await watching(() =>
    Promise.all(Array.from({ length: 8 }, () => call(ann, 'DELETE', `/houses/${den.id}`))),
  )
  expect(answer.map((one) => one.status).sort()).toEqual([204, ...Array(7).fill(400)])
  expect(events).toHaveLength(1)
})

test('deletion concurrent with joining, leaving, sending and inviting causes no 500', async () => {
  for (let round = 0; round < 8; round++) {
    const [ann, ben, cat] = [await user(), await user(), await user()]
    const den = await house({ owner: ann, members: [ben] })
    const { code } = (await call(ann, 'POST', `/houses/${den.id}/invites`, {})).body.data
    const answers = await Promise.all([
      call(cat, 'POST', `/invites/${code}`),
      call(ann, 'DELETE', `/houses/${den.id}`),
      call(ben, 'DELETE', `/users/@me/houses/${den.id}`),
      call(ben, 'POST', `/houses/${den.id}/invites`, {}),
      call(ann, 'PATCH', `/houses/${den.id}`, { name: 'New' }),
    ])
    expect(answers[1]!.status).toBe(204)
    expect(answers.filter((one) => one.status >= 500)).toEqual([])
    expect(await houseRow(den.id)).toBeUndefined()
    expect(await membersOf(den.id)).toEqual([])
  }
})
