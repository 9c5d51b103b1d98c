import { expect, test } from 'vitest'
import { logIn, resume } from '../support/gateway.ts'
import { ask } from '../support/processes.ts'
import { here, line, scene, there } from '../support/two-processes.ts'
import { db, type Person } from '../support/world.ts'

// Two processes that hear of each other late, or not at all: what is told of changes that both make.

test('what two processes answered one after the other is told everywhere in that order', async () => {
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
    const told = (e: string, key: string) =>
      client.events.filter((frame) => frame.e === e).map((frame) => frame.d[key])
    const changes = ['change 0', 'change 1', 'change 2', 'change 3']
    expect(told('MESSAGE_UPDATE', 'content')).toEqual(changes)
    expect(told('ROLE_UPDATE', 'name')).toEqual(changes)
    expect(told('HOUSE_UPDATE', 'name')).toEqual(changes)
    expect(told('ROOM_UPDATE', 'name')).toEqual(changes)
    expect(told('USER_UPDATE', 'bio')).toEqual(changes)
    expect(told('RELATIONSHIP_UPDATE', 'type')).toEqual([1, 3])
  }
})

test('of changes at the same moment at two processes, the last event everywhere tells what became of them', async () => {
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
  for (const client of clients) {
    const last = (e: string) => client.events.findLast((frame) => frame.e === e)?.d
    await expect.poll(() => client.events.filter((frame) => frame.e === 'ROLE_UPDATE').length).toBe(3)
    expect(last('RELATIONSHIP_UPDATE').type).toBe(3)
    expect(last('ROLE_UPDATE').name).toBe(name)
    await expect.poll(() => client.events.filter((frame) => frame.e === 'MESSAGE_UPDATE').length).toBe(3)
    expect(last('MESSAGE_UPDATE').content).toBe(content)
  }
})

test('an edit that is heard of after the deletion of its message is not told any more', async () => {
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
  expect(names).toEqual(['MESSAGE_CREATE', 'MESSAGE_DELETE', 'MESSAGE_CREATE'])
})

test('of acks at two processes, the last event everywhere tells how far one has read', async () => {
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

test('what a process of an older version tells of a role is told as the role is now', async () => {
  const { ann, den } = await scene()
  const made = await ask(here, ann, 'POST', `/houses/${den.id}/roles`, { name: 'made' })
  const client = await logIn(there, ann)
  const role = { ...made, name: 'as it was then' }
  await here.bus.publish([{ type: 'role_updated', house_id: den.id, role }])
  expect((await client.next('ROLE_UPDATE')).d).toEqual(made)
})

test('who may have missed something, because the relay lost it, is closed and has to log in again', async () => {
  const { ann, ben, den } = await scene()
  const [lost, heard] = [await logIn(here, ben), await logIn(there, ben)]
  const { session_id } = lost.events[0]!.d
  line.isLosing = true
  await ask(there, ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)
  line.isLosing = false
  await heard.next('HOUSE_LEAVE')
  await ask(there, ann, 'PATCH', `/houses/${den.id}`, { name: 'after it' })
  expect(await lost.end()).toEqual({ code: 1011, reason: 'internal_error' })
  expect(await resume(here, ben, session_id, lost.events.length).end()).toMatchObject({ code: 4009 })
  const fresh = await logIn(here, ben)
  expect(fresh.events[0]!.d.house_ids).toEqual([])
  expect(heard.closed).toBeUndefined()
})

test('who logs in after a loss is told of no message that is older than the login', async () => {
  const { ann, ben, full } = await scene()
  const say = (content: string) => ask(there, ann, 'POST', `/rooms/${full}/messages`, { content })
  const client = await logIn(here, ben)
  await say('before')
  await client.next('MESSAGE_CREATE')
  line.isLosing = true
  await say('lost')
  line.isLosing = false
  await ask(there, ann, 'PATCH', '/users/@me', { bio: 'noticed' })
  await client.end()
  const fresh = await logIn(here, ben)
  await say('new')
  expect((await fresh.next('MESSAGE_CREATE')).d.content).toBe('new')
})
