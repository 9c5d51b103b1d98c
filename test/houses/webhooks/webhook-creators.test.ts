import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { listRows } from '../../support/messages.ts'
import { multipart } from '../../support/multipart.ts'
import { override, told } from '../../support/permissions.ts'
import { type Hook, webhook, webhookNotFound, webhookRow } from '../../support/webhooks.ts'
import { admin, call, db, house, houseRoom, type Person, role, user } from '../../support/world.ts'

const { MANAGE_INTEGRATIONS, READ_MESSAGES } = permission

/** A house of Ann's, in which Ben has made a webhook. */
async function scene() {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const manager = await role(den, { allow: MANAGE_INTEGRATIONS, members: [ben] })
  return { ann, ben, den, manager, hook: await webhook(den, { creator: ben }) }
}
type Scene = Awaited<ReturnType<typeof scene>>

async function works(hook: Pick<Hook, 'path'>): Promise<boolean> {
  const answer = await call(null, 'POST', hook.path, { content: 'x' })
  if (answer.status === 200) return true
  expect(told(answer)).toEqual([404, webhookNotFound])
  return false
}

const ends: [string, (scene: Scene) => Promise<unknown>][] = [
  ['is banned', ({ ann, ben, den }) => call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`)],
  ['is removed', ({ ann, ben, den }) => call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)],
  ['leaves', ({ ben, den }) => call(ben, 'DELETE', `/users/@me/houses/${den.id}`)],
  ['loses the role', ({ ann, manager, den }) => call(ann, 'DELETE', `/houses/${den.id}/roles/${manager}`)],
  [
    'is denied it in the room',
    ({ ben, den }) => override(den.room_id, ben.id, { type: 1, deny: MANAGE_INTEGRATIONS }),
  ],
  ['cannot read the room', ({ ben, den }) => override(den.room_id, ben.id, { type: 1, deny: READ_MESSAGES })],
  [
    'is disabled',
    async ({ ben }) => call(await admin(), 'PATCH', `/admin/users/${ben.id}`, { disabled: true }),
  ],
  ['is deleted', async ({ ben }) => call(await admin(), 'DELETE', `/admin/users/${ben.id}`)],
]

test.each(ends)('a webhook stops when its creator %s, and stays listed', async (_name, end) => {
  const made = await scene()
  const { ann, ben, den, hook } = made
  expect(await works(hook)).toBe(true)
  await end(made)
  expect(await works(hook)).toBe(false)
  const list = await call(ann, 'GET', `/houses/${den.id}/webhooks`)
  expect(list.body.data).toMatchObject([{ id: hook.id, creator_id: ben.id }])
})

test('who replaces the address of a webhook becomes its creator', async () => {
  const { ann, ben, den, hook } = await scene()
  await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`)
  const { data } = (await call(ann, 'POST', `/houses/${den.id}/webhooks/${hook.id}/token`)).body
  expect(data.creator_id).toBe(ann.id)
  expect((await webhookRow(hook.id))!.creator_id).toBe(ann.id)
  expect(await works({ path: new URL(data.url).pathname })).toBe(true)
  expect(await works(hook)).toBe(false)
})

test('an edit changes no creator, and a webhook works again with the permission', async () => {
  const { ann, ben, den, manager, hook } = await scene()
  const at = `/houses/${den.id}/members/${ben.id}/roles/${manager}`
  const edited = await call(ann, 'PATCH', `/houses/${den.id}/webhooks/${hook.id}`, {
    name: 'Other',
    room_id: await houseRoom(den),
  })
  expect(edited.body.data.creator_id).toBe(ben.id)
  expect((await call(ann, 'DELETE', at)).status).toBe(200)
  expect(await works(hook)).toBe(false)
  expect((await call(ann, 'PUT', at)).status).toBe(200)
  expect(await works(hook)).toBe(true)
})

test('a webhook of a bot stops with the account of its owner', async () => {
  const [ann, ben] = [await user(), await user()]
  const bot: Person = await user({ bot_of: ben })
  const den = await house({ owner: ann, members: [bot] })
  await role(den, { allow: MANAGE_INTEGRATIONS, members: [bot] })
  const hook = await webhook(den, { creator: bot })
  expect(await works(hook)).toBe(true)
  await db.updateTable('users').set({ disabled: true }).where('id', '=', ben.id).execute()
  expect(await works(hook)).toBe(false)
})

test('a webhook without a creator works whoever leaves', async () => {
  const { ann, ben, den } = await scene()
  const old = await webhook(den)
  await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`)
  expect(await works(old)).toBe(true)
})

test('a body in parts is not sent if the webhook ends before its last one', async () => {
  const { ann, ben, den, hook } = await scene()
  const { payload, headers } = multipart({ name: 'content', value: 'late' })
  const body = payload as Buffer
  async function* slowly() {
    yield body.subarray(0, 20)
    await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`)
    yield body.subarray(20)
  }
  const slow = { headers: headers!, payload: Readable.from(slowly()) }
  expect(told(await call(null, 'POST', hook.path, undefined, slow))).toEqual([404, webhookNotFound])
  expect(await listRows(den.room_id)).toEqual([])
})
