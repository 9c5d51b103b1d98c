import { expect, test } from 'vitest'
import { logIn } from '../support/gateway.ts'
import { ask } from '../support/processes.ts'
import { scene, twoProcesses } from '../support/two-processes.ts'
import { db, type Person } from '../support/world.ts'

// Changes at two processes whose messages to each other come late or are lost.

const { here, there, line } = await twoProcesses()

test('sends changes of two processes in the order of their answers everywhere', async () => {
  const { ann, ben, den } = await scene()
  const said = (await ask(here, ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'said' })).id
  const { id: role_id } = await ask(here, ann, 'POST', `/houses/${den.id}/roles`, { name: 'made' })
  const clients = [await logIn(here, ann), await logIn(there, ann)]
  const changed: [string, string][] = [
    [`/rooms/${den.room_id}/messages/${said}`, 'content'],
    [`/houses/${den.id}/roles/${role_id}`, 'name'],
    [`/houses/${den.id}`, 'name'],
    [`/rooms/${den.room_id}`, 'name'],
    ['/users/@me', 'bio'],
  ]
  for (const [index, at] of [here, there, here, there].entries()) {
    await Promise.all(
      changed.map(([path, field]) => ask(at, ann, 'PATCH', path, { [field]: `change ${index}` })),
    )
  }
  await ask(here, ann, 'POST', '/relationships/@me/friend-requests', { user_id: ben.id })
  await ask(there, ben, 'POST', '/relationships/@me/friend-requests', { user_id: ann.id })
  for (const client of clients) {
    await client.next('RELATIONSHIP_UPDATE')
    await client.next('RELATIONSHIP_UPDATE')
    const received = (e: string, key: string) =>
      client.events.filter((frame) => frame.e === e).map((frame) => frame.d[key])
    const updates = [
      ['MESSAGE_UPDATE', 'content'],
      ['ROLE_UPDATE', 'name'],
      ['HOUSE_UPDATE', 'name'],
      ['ROOM_UPDATE', 'name'],
      ['USER_UPDATE', 'bio'],
    ] as const
    for (const [e, key] of updates) {
      const changes = received(e, key)
      expect(changes).toEqual([...changes].sort())
      expect(changes.at(-1)).toBe('change 3')
    }
    expect(received('RELATIONSHIP_UPDATE', 'type')).toHaveLength(2)
    expect(received('RELATIONSHIP_UPDATE', 'type').at(-1)).toBe(3)
  }
})

test('the last event of concurrent changes at two processes shows the final state', async () => {
  const { ann, ben, den } = await scene()
  const { id: role_id } = await ask(here, ann, 'POST', `/houses/${den.id}/roles`, { name: 'made' })
  const said = (await ask(here, ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'said' })).id
  const clients = [await logIn(here, ann), await logIn(there, ann)]
  const request = (at: typeof here, by: Person, to: Person) =>
    ask(at, by, 'POST', '/relationships/@me/friend-requests', { user_id: to.id })
  const rename = (at: typeof here, name: string) =>
    ask(at, ann, 'PATCH', `/houses/${den.id}/roles/${role_id}`, { name })
  await Promise.all([request(here, ann, ben), request(there, ben, ann)])
  await Promise.all([rename(here, 'one'), rename(there, 'other'), rename(here, 'third')])
  const edit = (at: typeof here, content: string) =>
    ask(at, ann, 'PATCH', `/rooms/${den.room_id}/messages/${said}`, { content })
  await Promise.all([edit(here, 'one'), edit(there, 'other'), edit(here, 'third')])
  const { content } = await db
    .selectFrom('messages')
    .select('content')
    .where('id', '=', said)
    .executeTakeFirstOrThrow()
  const { name } = await db
    .selectFrom('roles')
    .select('name')
    .where('id', '=', role_id)
    .executeTakeFirstOrThrow()
  // This event follows all of them.
  await ask(here, ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'done' })
  for (const client of clients) {
    const last = (e: string) => client.events.findLast((frame) => frame.e === e)?.d
    await expect.poll(() => last('MESSAGE_CREATE')?.content).toBe('done')
    expect(last('RELATIONSHIP_UPDATE').type).toBe(3)
    expect(last('ROLE_UPDATE').name).toBe(name)
    expect(last('MESSAGE_UPDATE').content).toBe(content)
  }
})

test('sends no MESSAGE_UPDATE after MESSAGE_DELETE', async () => {
  const { ann, den } = await scene()
  const path = `/rooms/${den.room_id}/messages`
  const [own, other] = [await logIn(here, ann), await logIn(there, ann)]
  const said = (await ask(here, ann, 'POST', path, { content: 'said' })).id
  await other.next('MESSAGE_CREATE')
  const edit = ask(here, ann, 'PATCH', `${path}/${said}`, { content: 'edited' })
  await own.next('MESSAGE_UPDATE')
  await ask(there, ann, 'DELETE', `${path}/${said}`)
  await edit
  await ask(here, ann, 'POST', path, { content: 'next' })
  await other.next('MESSAGE_CREATE')
  const names = other.events.map((frame) => frame.e!).filter((name) => name.startsWith('MESSAGE_'))
  const last = names.indexOf('MESSAGE_DELETE')
  expect(names.slice(last)).toEqual(['MESSAGE_DELETE', 'MESSAGE_CREATE'])
})

test('the last READ_STATE_UPDATE of acks at two processes shows the final state', async () => {
  const { ann, ben, den } = await scene()
  const say = async () =>
    (await ask(here, ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'said' })).id
  const [first, second] = [await say(), await say()]
  const clients = [await logIn(here, ben, { extended: true }), await logIn(there, ben, { extended: true })]
  await ask(here, ben, 'POST', `/rooms/${den.room_id}/messages/${first}/ack`)
  await ask(there, ben, 'POST', `/rooms/${den.room_id}/messages/${second}/ack`)
  for (const client of clients) {
    await client.next('READ_STATE_UPDATE')
    expect((await client.next('READ_STATE_UPDATE')).d).toMatchObject({ message_id: second })
  }
})

test('sends what the relay loses, and ends no session', async () => {
  const { ann, ben, den } = await scene()
  const path = `/rooms/${den.room_id}/messages`
  const [client, own] = [await logIn(here, ben), await logIn(there, ann)]
  line.isLosing = true
  const said = []
  for (const content of ['one', 'two', 'three'])
    said.push((await ask(there, ann, 'POST', path, { content })).id)
  await ask(there, ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)
  await client.next('HOUSE_LEAVE')
  line.isLosing = false
  const received = client.events.filter((frame) => frame.e === 'MESSAGE_CREATE')
  expect(received.map((frame) => frame.d.id)).toEqual(said)
  expect([client.closed, own.closed]).toEqual([undefined, undefined])
})
