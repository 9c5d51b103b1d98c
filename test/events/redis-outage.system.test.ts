import { afterAll, expect, test } from 'vitest'
import { environment } from '../support/cli.ts'
import { logIn } from '../support/gateway.ts'
import { ownWorld } from '../support/own-world.ts'
import { startRedis } from '../support/redis.ts'
import { type Server, startServer } from '../support/server.ts'
import { house, node, type Person, user } from '../support/world.ts'

await ownWorld()

// The servers use Redis, and this process does not.
await node.release()
let redis = await startRedis()
const servers: Server[] = []
afterAll(async () => {
  await Promise.all(servers.map((server) => server.end('SIGTERM')))
  await redis.stop()
})

async function start(): Promise<Server> {
  const more = { REDIS_URL: redis.url, RATE_LIMIT: 'on', LOG_LEVEL: 'info' }
  const server = await startServer(environment().DATA_DIR, { environment: { ...environment(), ...more } })
  servers.push(server)
  return server
}

async function say(server: Server, { token }: Person, roomId: string, content: string): Promise<void> {
  const headers = { authorization: token, 'content-type': 'application/json' }
  const body = JSON.stringify({ content })
  const answer = await fetch(`${server.origin}/rooms/${roomId}/messages`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
}

/** Counts the log lines of a server with this message. */
function countOf(server: Server, message: string): number {
  return server.output().split(`"msg":"${message}`).length - 1
}

const outage = {
  began: ['Redis is unavailable', 'rate limits cannot be counted in Redis'],
  ended: ['Redis is available again', 'rate limits are counted in Redis again'],
}

test('delivers without Redis, and logs the beginning and end of its outage', async () => {
  const [one, other] = [await start(), await start()]
  const ann = await user()
  const den = await house({ owner: ann })
  const [here, there] = [await logIn(one.origin, ann), await logIn(other.origin, ann)]
  await say(one, ann, den.room_id, 'before')
  for (const client of [here, there]) expect((await client.next('MESSAGE_CREATE')).d.content).toBe('before')

  const countsOf = (messages: string[]) =>
    servers.flatMap((server) => messages.map((message) => countOf(server, message)))
  // A server that stands still for seconds takes Redis for unavailable.
  const [begun, ended] = [countsOf(outage.began), countsOf(outage.ended)]
  const onceMore = (counts: number[]) => counts.map((count) => count + 1)
  await redis.stop()
  await expect.poll(() => countsOf(outage.began)).toEqual(onceMore(begun))
  await say(one, ann, den.room_id, 'first')
  expect((await here.next('MESSAGE_CREATE')).d.content).toBe('first')
  await say(other, ann, den.room_id, 'second')
  // Entries of the other process are read before its own.
  const found = [await there.next('MESSAGE_CREATE'), await there.next('MESSAGE_CREATE')]
  expect(found.map(({ d }) => d.content)).toEqual(['first', 'second'])
  expect(countsOf(outage.began)).toEqual(onceMore(begun))

  redis = await startRedis(redis.port)
  await expect.poll(() => countsOf(outage.ended)).toEqual(onceMore(ended))
})
