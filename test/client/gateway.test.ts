import { sql } from 'kysely'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { Api } from '../../src/client/api.ts'
import { GatewayRefused } from '../../src/client/event-iterator.ts'
import type { GatewayEvent } from '../../src/client/events.ts'
import { Gateway, type GatewayOptions } from '../../src/client/gateway.ts'
import type { GatewayState } from '../../src/client/gateway-state.ts'
import { listen, logIn, portOf } from '../support/gateway.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'
import { db, house, type Person, user } from '../support/world.ts'

const app = await listen({ offlineAfterMs: 20 })
const port = portOf(app)
const proxy = await openTcpProxy({ host: '127.0.0.1', port })
afterAll(() => proxy.close())

const direct = `http://127.0.0.1:${port}`
const address = `http://127.0.0.1:${proxy.port}`

/** A gateway that records its events and states, and is closed at the end of the test. */
function open(person: Person, options: Partial<GatewayOptions> = {}) {
  const gateway = new Gateway({ address, token: person.token, ...options })
  const events: GatewayEvent[] = []
  const states: GatewayState[] = []
  gateway.onEvent((event) => events.push(event))
  gateway.onState((state) => states.push(state))
  gateway.connect()
  onTestFinished(() => gateway.close())
  const names = () => events.map(({ e }) => e)
  const untilState = (name: GatewayState['name']) => expect.poll(() => gateway.state.name).toBe(name)
  const until = (name: GatewayEvent['e'], count = 1) =>
    expect.poll(() => names().filter((e) => e === name).length, { message: name }).toBe(count)
  return { gateway, events, states, names, until, untilState }
}

function send(person: Person, id: string, content: string) {
  return new Api({ address: direct, token: person.token }).call('sendMessage', {
    params: { id },
    body: { content },
  })
}

test('is ready once the state is complete', async () => {
  const ann = await user()
  const dens = [await house({ owner: ann }), await house({ owner: ann })]
  const { gateway, events, states, names, untilState } = open(ann)
  await untilState('ready')
  expect(names()).toEqual(['INIT_STATE', 'HOUSE_JOIN', 'HOUSE_JOIN'])
  expect(states.map(({ name }) => name)).toEqual(['connecting', 'ready'])
  expect(gateway.session).toEqual({ session_id: expect.any(String), seq: events.at(-1)!.seq })
  expect(new Set(events.slice(1).map(({ d }) => 'id' in d && d.id))).toEqual(
    new Set(dens.map(({ id }) => id)),
  )
})

test('listeners are called for their events until they are removed', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { gateway, until, untilState } = open(ann)
  const contents: string[] = []
  const remove = gateway.on('MESSAGE_CREATE', ({ content }) => contents.push(content))
  await untilState('ready')
  await send(ann, den.room_id, 'one')
  await until('MESSAGE_CREATE', 1)
  remove()
  await send(ann, den.room_id, 'two')
  await until('MESSAGE_CREATE', 2)
  expect(contents).toEqual(['one'])
})

test('resumes after a lost connection: missed events come once, and presences are subscribed again', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { gateway, events, names, until, untilState } = open(ann)
  await untilState('ready')
  gateway.watchPresence([ben.id])
  await until('PRESENCE_UPDATE', 1)
  await send(ben, den.room_id, 'before')
  await until('MESSAGE_CREATE', 1)
  const { session_id } = gateway.session!

  await proxy.set('refuse')
  await untilState('waiting')
  expect(gateway.state).toMatchObject({ code: 1006, until: expect.any(Number), greeted: true })
  await send(ben, den.room_id, 'meanwhile')
  await proxy.set('fine')
  gateway.reconnectNow()
  await until('RESUMED')
  await untilState('ready')
  await until('PRESENCE_UPDATE', 2)
  await send(ben, den.room_id, 'after')
  await until('MESSAGE_CREATE', 3)

  const contents = events.flatMap((event) => (event.e === 'MESSAGE_CREATE' ? [event.d.content] : []))
  expect(contents).toEqual(['before', 'meanwhile', 'after'])
  expect(names().filter((name) => name === 'INIT_STATE')).toHaveLength(1)
  expect(gateway.session!.session_id).toBe(session_id)
  const numbers = events.map(({ seq }) => seq)
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
})

test('a login that is interrupted before its last house is repeated', async () => {
  const ann = await user()
  await house({ owner: ann })
  const way = await openTcpProxy({ host: '127.0.0.1', port })
  const { gateway, names, until, untilState } = await db.transaction().execute(async (trx) => {
    // A house is read with its entities.
    await sql`lock table entities`.execute(trx)
    const opened = open(ann, { address: `http://127.0.0.1:${way.port}` })
    await opened.until('INIT_STATE', 1)
    expect(opened.gateway.state.name).toBe('connecting')
    expect(opened.gateway.session).toBeUndefined()
    await way.set('reset')
    return opened
  })
  await untilState('waiting')
  await way.set('fine')
  gateway.reconnectNow()
  await until('INIT_STATE', 2)
  expect(names()).not.toContain('RESUMED')
  await way.close()
})

test('logs in again at once when the session cannot be resumed', async () => {
  const { gateway, states, until, untilState } = open(await user(), {
    session: { session_id: 'f'.repeat(32), seq: 7 },
  })
  await until('INIT_STATE')
  await untilState('ready')
  expect(states.map(({ name }) => name)).not.toContain('waiting')
  expect(gateway.session!.session_id).not.toBe('f'.repeat(32))
})

test('another gateway resumes the session, and the former one logs in again', async () => {
  const ann = await user()
  const first = open(ann)
  await first.untilState('ready')
  const session = first.gateway.session!
  const second = open(ann, { session })
  await second.until('RESUMED')
  await first.until('INIT_STATE', 2)
  expect(second.names()).not.toContain('INIT_STATE')
  expect(first.gateway.session!.session_id).not.toBe(session.session_id)
})

test('in zlib mode all frames are compressed, and events come in their order', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const kinds = new Set<string>()
  class NotingSocket extends WebSocket {
    constructor(url: string | URL) {
      super(url)
      this.addEventListener('message', ({ data }) => void kinds.add(Object.prototype.toString.call(data)))
    }
  }
  const { gateway, events, until } = open(ann, { compressed: true, WebSocket: NotingSocket })
  await until('HOUSE_JOIN')
  const contents = Array.from({ length: 6 }, (_, n) => `${n} ${'long '.repeat(n % 2 === 0 ? 700 : 0)}`.trim())
  for (const content of contents) await send(ann, den.room_id, content)
  await until('MESSAGE_CREATE', contents.length)
  expect(events.flatMap((each) => (each.e === 'MESSAGE_CREATE' ? each.d.content : []))).toEqual(contents)
  expect(kinds).toEqual(new Set(['[object ArrayBuffer]']))
  expect(gateway.hasAllMembers(den.id)).toBe(true)
})

test.each([false, true])('a wrong token ends with the state closed (compressed: %s)', async (compressed) => {
  const ann = await user()
  const { gateway, untilState } = open({ ...ann, token: 'f'.repeat(128) }, { compressed })
  await untilState('closed')
  expect(gateway.state).toEqual({ name: 'closed', code: 4003, reason: 'invalid_token' })
})

test('iterating throws when the token ends', async () => {
  const ann = await user()
  const { gateway } = open(ann)
  const seen: string[] = []
  const iterate = async () => {
    for await (const { e } of gateway) {
      seen.push(e)
      await new Api({ address, token: ann.token }).call('logOut')
    }
  }
  const error = await iterate().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(GatewayRefused)
  expect(error).toMatchObject({ code: 4003, reason: 'invalid_token' })
  expect(seen).toEqual(['INIT_STATE'])
})

test('iterating ends with the gateway, and leaving the loop does not close it', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { gateway, until } = open(ann)
  for await (const { e } of gateway) if (e === 'HOUSE_JOIN') break
  await send(ann, den.room_id, 'still there')
  await until('MESSAGE_CREATE')
  const rest: string[] = []
  const iterating = (async () => {
    for await (const { e } of gateway) rest.push(e)
  })()
  await send(ann, den.room_id, 'more')
  await until('MESSAGE_CREATE', 2)
  gateway.close()
  await iterating
  expect(rest).toEqual(['MESSAGE_CREATE'])
  expect(gateway.state).toEqual({ name: 'closed' })
})

test('iterating connects', async () => {
  const gateway = new Gateway({ address, token: (await user()).token })
  onTestFinished(() => gateway.close())
  for await (const { e } of gateway) {
    expect(e).toBe('INIT_STATE')
    break
  }
})

test('connecting again after a close resumes', async () => {
  const ann = await user()
  const { gateway, names, until, untilState } = open(ann)
  await untilState('ready')
  gateway.close()
  gateway.connect()
  await until('RESUMED')
  expect(names().filter((name) => name === 'INIT_STATE')).toHaveLength(1)
})

test('a probe detects a silently lost connection, which is resumed', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const way = await openTcpProxy({ host: '127.0.0.1', port })
  const { gateway, until, untilState } = open(ann, { address: `http://127.0.0.1:${way.port}` })
  await untilState('ready')
  way.deafen()
  await send(ann, den.room_id, 'missed')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  gateway.reconnectNow()
  vi.advanceTimersByTime(5_000)
  vi.useRealTimers()
  expect(gateway.state).toMatchObject({ name: 'waiting', reason: 'no answer' })
  gateway.reconnectNow()
  await until('RESUMED')
  await until('MESSAGE_CREATE')
  await way.close()
})

test('requests members and receives them', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { gateway, events, until, untilState } = open(ann)
  await untilState('ready')
  gateway.requestMembers(den.id)
  await until('HOUSE_MEMBERS_CHUNK')
  const chunk = events.find((event) => event.e === 'HOUSE_MEMBERS_CHUNK')!
  expect(Object.keys(chunk.d.members).sort()).toEqual([ann.id, ben.id].sort())
})

test('a listener that throws does not stop others', async () => {
  const ann = await user()
  const thrown: unknown[] = []
  const former = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => thrown.push(error))
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException')
    for (const listener of former) process.on('uncaughtException', listener)
  })
  const gateway = new Gateway({ address, token: ann.token })
  onTestFinished(() => gateway.close())
  gateway.on('INIT_STATE', () => {
    throw new Error('of the listener')
  })
  const heard: string[] = []
  gateway.on('INIT_STATE', ({ user }) => heard.push(user.id))
  gateway.connect()
  await expect.poll(() => gateway.state.name).toBe('ready')
  expect(heard).toEqual([ann.id])
  await expect.poll(() => thrown).toEqual([new Error('of the listener')])
})

test('without extended the gateway receives events', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { until, untilState } = open(ann, { extended: false })
  await untilState('ready')
  const other = await logIn(app, ann)
  await send(ann, den.room_id, 'hi')
  await until('MESSAGE_CREATE')
  await other.close()
})

test('an empty address connects to the server of the page', async () => {
  vi.stubGlobal('location', { origin: address })
  onTestFinished(() => void vi.unstubAllGlobals())
  const { untilState } = open(await user(), { address: '' })
  await untilState('ready')
})
