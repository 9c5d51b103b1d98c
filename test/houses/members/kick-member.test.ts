import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { membersOf, watching } from '../../support/houses.ts'
import { noPermission, told } from '../../support/permissions.ts'
import { call, failure, house, role, user } from '../../support/world.ts'

const notFound = failure('not_found', 'Not found')

test.each(['/houses', ''])(
  'kicking a member by %s/… answers both ids and tells; they may come again',
  async (start) => {
    const [ann, ben] = [await user(), await user()]
    const den = await house({ owner: ann, members: [ben] })
    const { answer, events } = await watching(() =>
      call(ann, 'DELETE', `${start}/${den.id}/members/${ben.id}`),
    )
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ success: true, data: { house_id: den.id, user_id: ben.id } })
    expect(events).toMatchObject([
      { type: 'member_left', house_id: den.id, user_id: ben.id, member: { id: ben.id } },
    ])
    expect(await membersOf(den.id)).toEqual([ann.id])
    const { code } = (await call(ann, 'POST', `/houses/${den.id}/invites`)).body.data
    expect((await call(ben, 'POST', `/invites/${code}`)).status).toBe(200)
  },
)

test('removal needs KICK_MEMBERS and a higher rank; the caller and the owner cannot be removed', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat, dan] })
  const kick = (caller: typeof ann, target: typeof ann) => {
    return call(caller, 'DELETE', `/houses/${den.id}/members/${target.id}`)
  }
  expect((await kick(ben, cat)).body).toEqual(noPermission)
  await role(den, { allow: permission.KICK_MEMBERS, position: 1, members: [ben] })
  await role(den, { position: 1, members: [cat] })
  for (const [caller, target] of [
    [ben, cat],
    [ben, ben],
    [ben, ann],
    [ann, ann],
  ] as const) {
    const answer = await kick(caller, target)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  expect((await kick(ben, dan)).status).toBe(200)
  expect(await membersOf(den.id)).toEqual([ann.id, ben.id, cat.id])
})

test('an unknown house or member answers not found, on both paths', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const house404 = failure('house_not_found', 'That house does not exist')
  const member404 = failure('member_not_found', 'That member does not exist')
  for (const start of ['/houses', '']) {
    for (const id of [ben.id, '1']) {
      expect(told(await call(ann, 'DELETE', `${start}/${den.id}/members/${id}`))).toEqual([404, member404])
    }
    for (const id of [den.id, '99999999999999999999']) {
      expect(told(await call(ben, 'DELETE', `${start}/${id}/members/${ann.id}`))).toEqual([404, house404])
    }
  }
  expect((await call(ann, 'DELETE', `/houses/${den.id}/members/x`)).body).toEqual(member404)
  for (const path of [`/x/members/${ann.id}`, `/${den.id}/members/x`, `/${den.id}/members/1x`]) {
    expect((await call(ann, 'DELETE', path)).body).toEqual(notFound)
  }
})

test('one of several concurrent removals and a leave succeeds', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { answer, events } = await watching(() =>
    Promise.all([
      call(ben, 'DELETE', `/users/@me/houses/${den.id}`),
      ...Array.from({ length: 5 }, () => call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)),
    ]),
  )
  expect(answer.filter((one) => one.status < 300)).toHaveLength(1)
  expect(answer.filter((one) => one.status >= 500)).toEqual([])
  expect(events).toHaveLength(1)
})
