import { expect, test } from 'vitest'
import { hearth } from '../support/cli.ts'
import { ownWorld } from '../support/own-world.ts'
import { call, db, type Person } from '../support/world.ts'

await ownWorld()

const demo = await hearth('demo')

test('the demo has users who log in and find houses, members, messages, mentions, friends and a group', async () => {
  const { code, out, err } = demo
  expect([code, err]).toEqual([0, ''])
  const [, names, password] = /^Log in as (.+) with the password ([A-Za-z0-9_-]{12})$/m.exec(out)!
  expect(names).toBe('mira, jonas, ayumi, tomasz, priya, leo, nadia, sam')
  expect(await db.selectFrom('sessions').select('id').execute()).toEqual([])

  const { body } = await call(null, 'POST', '/auth/login', { login: 'mira', password })
  const mira = { ...body.data.user, token: body.data.token } as Person
  const get = async (url: string) => (await call(mira, 'GET', url)).body.data
  const houses = await get('/users/@me/houses')
  expect(houses.map((house: { name: string }) => house.name)).toEqual(['The Tool Library', 'Night Sky Club'])
  const [library] = houses
  expect((await get(`/houses/${library.id}/members`)).length).toBe(7)
  expect((await get(`/houses/${library.id}/roles`)).length).toBe(2)
  const rooms = await get(`/houses/${library.id}/rooms`)
  expect(rooms.map((room: { name: string }) => room.name)).toEqual(['general', 'lending', 'repairs'])
  const messages = await get(`/rooms/${rooms[0].id}/messages`)
  expect(messages.some(({ content }: { content: string }) => content.includes('<@'))).toBe(true)
  expect((await get('/relationships/@me/friends')).length).toBe(2)
  expect((await get('/users/@me/rooms')).map((room: { type: number }) => room.type).sort()).toEqual([1, 2])

  const priya = await call(null, 'POST', '/auth/login', { login: 'priya', password })
  const mentions = await call({ ...mira, token: priya.body.data.token }, 'GET', '/streams/@me/mentions')
  expect(mentions.body.data[0].content).toContain('I can lend us the big tripod.')
})

test('a second demo on the same server is refused, and changes nothing', async () => {
  const counted = () => db.selectFrom('users').select('id').execute()
  const before = await counted()
  const { code, err } = await hearth('demo')
  expect([code, err]).toEqual([1, 'There is somebody called mira already: the demo is for a server without.'])
  expect(await counted()).toEqual(before)
})
