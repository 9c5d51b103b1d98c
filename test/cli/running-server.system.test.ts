import { afterAll, describe, expect, test } from 'vitest'
import { environment, hearthIn } from '../support/cli.ts'
import { logIn } from '../support/gateway.ts'
import { sumOf } from '../support/metrics.ts'
import { ownWorld } from '../support/own-world.ts'
import { startRedis } from '../support/redis.ts'
import { failToStart, type Server, startServer } from '../support/server.ts'
import { friends, house, node, type Person, user } from '../support/world.ts'

await ownWorld()

const given = process.env.TEST_REDIS_URL
const redis = given ? { url: given, stop: async () => {} } : await startRedis()
const servers: Server[] = []
afterAll(async () => {
  await stopAll()
  await redis.stop()
})
// This process is none of those that the servers find.
await node.release()

async function stopAll(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.end('SIGTERM')))
}

async function start(more: Record<string, string>) {
  const server = await startServer(environment().DATA_DIR, { environment: { ...environment(), ...more } })
  servers.push(server)
  return server
}

async function send(server: Server, person: Person, roomId: string) {
  const headers = { authorization: person.token, 'content-type': 'application/json' }
  const body = JSON.stringify({ content: 'hi' })
  const answer = await fetch(`${server.origin}/rooms/${roomId}/messages`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
}

/** How many messages a server has sent to other ones. */
async function countPublished({ origin }: Server): Promise<number> {
  return sumOf(await (await fetch(`${origin}/metrics`)).text(), 'hearth_publish_seconds_count')
}

describe.each([
  ['the database', {}],
  ['Redis', { REDIS_URL: redis.url }],
])('beside a running server, over %s', (_way, way) => {
  afterAll(stopAll)

  test('delete-house, reset-password and disable-user send events to open sockets', async () => {
    const server = await start(way)
    const [ann, bob] = [await user(), await user()]
    const den = await house({ owner: ann, members: [bob] })
    const client = await logIn(server.origin, bob)
    const run = (...words: string[]) => hearthIn({ ...environment(), ...way }, ...words)
    expect(await run('delete-house', den.id, '--yes')).toMatchObject({ code: 0, err: '' })
    expect((await client.next('HOUSE_DOWN')).d).toEqual({ unavailable: false, house_id: den.id })
    const reset = await run('reset-password', bob.username, '--password', 'a new password')
    expect(reset).toMatchObject({ code: 0, err: '' })
    expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
    const other = await logIn(server.origin, ann)
    expect(await run('disable-user', ann.username)).toMatchObject({ code: 0, err: '' })
    expect(await other.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  })
})

test('a command needs no Redis: the servers read of what it did in the database', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const nowhere = { ...environment(), REDIS_URL: 'redis://127.0.0.1:1' }
  const { code, out, err } = await hearthIn(nowhere, 'delete-house', den.id, '--yes')
  expect([code, out]).toEqual([0, 'Deleted Den with 1 member.'])
  expect(err).toBe('')
})

test('a server with REDIS_URL does not start beside one without it', async () => {
  await stopAll()
  await start({})
  const { code, stderr } = await failToStart(environment().DATA_DIR, {
    ...environment(),
    REDIS_URL: redis.url,
  })
  expect([code, stderr]).toEqual([
    1,
    'REDIS_URL must be set for all processes of a database, or for none: another process runs that differs. Stop it first.\n',
  ])
})

test("two servers on one database receive each other's events; a single one sends none", async () => {
  await stopAll()
  const one = await start({})
  const ann = await user()
  const den = await house({ owner: ann })
  const here = await logIn(one.origin, ann)
  const publishedOfSend = async () => {
    const before = await countPublished(one)
    await send(one, ann, den.room_id)
    await here.next('MESSAGE_CREATE')
    return (await countPublished(one)) - before
  }
  // The database may see a server that has ended for a moment.
  await expect.poll(publishedOfSend).toBe(0)

  const other = await start({})
  const ben = await user()
  await friends(ann, ben)
  const presences = async () => Object.keys((await logIn(other.origin, ben)).events[0]!.d.presences)
  await expect.poll(presences).toEqual([ann.id])
  const there = await logIn(other.origin, ann)
  await send(one, ann, den.room_id)
  await there.next('MESSAGE_CREATE')
  await expect.poll(() => countPublished(one)).toBeGreaterThan(0)
  here.takeAll()
  await send(other, ann, den.room_id)
  await here.next('MESSAGE_CREATE')
})
