import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { told } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
import { withChangeAfter } from '../support/waiting.ts'
import { call, db, failure, published, user } from '../support/world.ts'

const path = '/users/@me/settings'

test('an update changes only the given settings, and sends no event without a change', async () => {
  const ann = await user()
  const answer = await call(ann, 'PATCH', path, { theme: 'dark', onboarded: true })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({
    theme: 'dark',
    onboarded: true,
    enable_desktop_notifications: null,
  })
  const second = await call(ann, 'PATCH', path, { enable_desktop_notifications: false, theme: null, x: 1 })
  expect(second.body.data).toMatchObject({
    theme: null,
    onboarded: true,
    enable_desktop_notifications: false,
  })
  const event = { type: 'settings_updated', user_id: ann.id }
  expect(publishedAbout(ann.id)).toEqual([event, event])
  await call(ann, 'PATCH', path, { onboarded: true })
  expect((await call(ann, 'PATCH', path, { unknown: true })).status).toBe(200)
  expect(publishedAbout(ann.id)).toHaveLength(2)
  expect((await call(ann, 'GET', path)).body.data).toEqual(second.body.data)
  const rows = await db.selectFrom('settings').selectAll().where('user_id', '=', ann.id).execute()
  expect(rows).toEqual([
    { user_id: ann.id, theme: null, onboarded: true, enable_desktop_notifications: false },
  ])
})

test('an update that repeats one setting and changes another sends an event', async () => {
  const ann = await user()
  await call(ann, 'PATCH', path, { theme: 'dark', onboarded: true })
  published.length = 0
  const answer = await call(ann, 'PATCH', path, { theme: 'dark', onboarded: false })
  expect(answer.body.data).toMatchObject({ theme: 'dark', onboarded: false })
  expect(publishedAbout(ann.id)).toEqual([{ type: 'settings_updated', user_id: ann.id }])
})

test('an update returns its own result, even if another one follows at once', async () => {
  const ann = await user()
  await call(ann, 'PATCH', path, { onboarded: true })
  published.length = 0
  const answer = await withChangeAfter(
    () => call(ann, 'PATCH', path, { theme: 'dark' }),
    'settings',
    sql`select from settings where user_id = ${ann.id} for update`,
    (trx) => trx.deleteFrom('settings').where('user_id', '=', ann.id).execute(),
  )
  expect(answer.body.data).toMatchObject({ theme: 'dark', onboarded: true })
  expect(publishedAbout(ann.id)).toEqual([{ type: 'settings_updated', user_id: ann.id }])
})

test('concurrent updates of different settings all apply', async () => {
  const ann = await user()
  const edits = [{ theme: 'dark' }, { onboarded: true }, { enable_desktop_notifications: true }]
  const answers = await Promise.all(edits.map((edit) => call(ann, 'PATCH', path, edit)))
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
  expect((await call(ann, 'GET', path)).body.data).toMatchObject(Object.assign({}, ...edits))
})

test('an empty body and wrong values are refused, and change nothing', async () => {
  const ann = await user()
  const cases: [unknown, string][] = [
    [undefined, 'JSON body cannot be empty'],
    [{}, 'JSON body cannot be empty'],
    [null, 'JSON body cannot be empty'],
    [{ theme: 'light', onboarded: null }, 'Invalid fields (theme, onboarded)'],
    [{ theme: 'dark', enable_desktop_notifications: 1 }, 'Invalid fields (enable_desktop_notifications)'],
  ]
  for (const [body, message] of cases) {
    expect(told(await call(ann, 'PATCH', path, body))).toEqual([400, failure('invalid_schema', message)])
  }
  expect((await call(ann, 'GET', path)).body.data.theme).toBe(null)
})
