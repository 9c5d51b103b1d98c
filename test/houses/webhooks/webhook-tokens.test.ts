import { expect, test } from 'vitest'
import { told } from '../../support/permissions.ts'
import { webhook, webhookNotFound } from '../../support/webhooks.ts'
import { call, house, user } from '../../support/world.ts'

const [ann, ben] = [await user(), await user()]
const den = await house({ owner: ann, members: [ben] })

test('a wrong token and an unknown id answer webhook_not_found', async () => {
  const [hook, other] = [await webhook(den), await webhook(den)]
  const paths = [
    `/webhooks/${hook.id}/${other.token}`,
    `/webhooks/${hook.id}/${hook.token.toUpperCase()}`,
    `/webhooks/${hook.id}/${hook.token.slice(1)}`,
    `/webhooks/${hook.id}/Bearer%20${hook.token}`,
    `/webhooks/${hook.id}/${ann.token}`,
    `/webhooks/${ann.id}/${ann.token}`,
    `/webhooks/1/${hook.token}`,
    `/webhooks/x/${hook.token}`,
    `/webhooks/${hook.id}/%00`,
  ]
  for (const path of paths) {
    for (const body of [{ content: 'x' }, { text: 'x' }, { embeds: [{ title: 'x' }] }]) {
      expect(told(await call(null, 'POST', path, body))).toEqual([404, webhookNotFound])
    }
  }
  // The token of an account changes nothing.
  expect((await call(ben, 'POST', hook.path, { content: 'x' })).status).toBe(200)
})

test('the token of a webhook is no token of an account', async () => {
  const hook = await webhook(den)
  const headers = { authorization: hook.token }
  const answer = await call(null, 'GET', '/users/@me', undefined, { headers })
  expect(answer.body.error.code).toBe('no_auth')
  expect(told(await call(null, 'GET', `/rooms/${den.room_id}`, undefined, { headers }))[0]).toBe(400)
})

test('nobody is in contact with a webhook', async () => {
  const { id } = await webhook(den)
  const cases: [string, string, object | undefined, string][] = [
    ['POST', '/users/@me/rooms', { recipient: id }, 'user_not_found'],
    ['POST', '/users/@me/rooms', { recipients: [id, ben.id] }, 'user_not_found'],
    ['POST', '/relationships/@me/friend-requests', { user_id: id }, 'user_not_found'],
    ['PUT', `/relationships/@me/blocked/${id}`, undefined, 'user_not_found'],
    ['POST', `/houses/${den.id}/bots`, { bot_id: id }, 'bot_not_found'],
    ['PATCH', `/bots/${id}`, { name: 'x' }, 'bot_not_found'],
    ['DELETE', `/bots/${id}`, undefined, 'bot_not_found'],
    ['POST', `/bots/${id}/token`, undefined, 'bot_not_found'],
  ]
  for (const [method, url, body, code] of cases) {
    const answer = await call(ann, method as 'POST', url, body)
    expect([url, answer.body.error?.code]).toEqual([url, code])
  }
  const members = await call(ann, 'GET', `/houses/${den.id}/members`)
  expect(members.body.data.map((member: { id: string }) => member.id)).not.toContain(id)
  expect((await call(ann, 'GET', `/users/${id}`)).body.data).toMatchObject({ id, bot: true, name: 'Hook' })
})
