import { expect, test } from 'vitest'
import { admin, call, failure, house, user } from '../support/world.ts'

const ruler = await admin()

type Entry = {
  id: string
  action: string
  actor: { id: string } | null
  target_type: string
  target_id: string
  changes: object[]
}

test('the audit log has an entry for each change, and none for a refused or empty one', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const before = (await call(ruler, 'GET', '/admin/audit-log?limit=1')).body.data[0]?.id ?? '0'
  await call(ruler, 'PATCH', `/admin/users/${ann.id}`, { disabled: true, admin: true })
  await call(ruler, 'PATCH', `/admin/users/${ann.id}`, { disabled: true })
  await call(ruler, 'PATCH', `/admin/users/${ruler.id}`, { admin: false })
  await call(ruler, 'DELETE', `/admin/users/${ann.id}/sessions`)
  await call(ruler, 'DELETE', `/admin/houses/${den.id}`)
  await call(ruler, 'DELETE', `/admin/users/${ann.id}`)
  const { body } = await call(ruler, 'GET', `/admin/audit-log?after=${before}`)
  const entries = body.data.map(({ action, actor, target_type, target_id, changes }: Entry) => {
    return [action, actor?.id, target_type, target_id, changes]
  })
  expect(entries).toEqual([
    ['user_deleted', ruler.id, 'user', ann.id, [{ key: 'username', old: ann.username, new: null }]],
    ['house_deleted', ruler.id, 'house', den.id, [{ key: 'name', old: 'Den', new: null }]],
    ['user_sessions_ended', ruler.id, 'user', ann.id, []],
    [
      'user_edited',
      ruler.id,
      'user',
      ann.id,
      [
        { key: 'disabled', old: false, new: true },
        { key: 'admin', old: false, new: true },
      ],
    ],
  ])
})

test('pages of the audit log go by before, after and around', async () => {
  const ann = await user()
  for (const admin of [true, false, true, false])
    await call(ruler, 'PATCH', `/admin/users/${ann.id}`, { admin })
  const list = async (query: string) => {
    const { body } = await call(ruler, 'GET', `/admin/audit-log?${query}`)
    return body.data.map(({ id }: Entry) => id) as string[]
  }
  const ids = await list('limit=4')
  expect(await list(`limit=2&before=${ids[1]}`)).toEqual(ids.slice(2))
  expect(await list(`limit=1&after=${ids[2]}`)).toEqual([ids[1]])
  expect(await list(`limit=2&around=${ids[2]}`)).toEqual([ids[1], ids[2]])
  const two = await call(ruler, 'GET', '/admin/audit-log?before=1&after=1')
  expect(two.body).toEqual(failure('invalid_schema', 'Invalid fields (before, after)'))
})
