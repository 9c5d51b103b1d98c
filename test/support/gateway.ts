import { type AddressInfo, connect as openStream } from 'node:net'
import { inflateSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import WebSocket from 'ws'
import { buildApp } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import { type Db, openDatabaseWithoutTimeouts } from '../../src/database/client.ts'
import { eventSchemas } from '../../src/gateway/schemas.ts'
import type { GatewaySettings } from '../../src/gateway/settings.ts'
import { atEnd } from './at-end.ts'
import { breaches } from './contract-payloads.ts'
import { bus, config, databaseUrl, db, type Person, presences, sharedWorld, store } from './world.ts'

/** What the server sends: the parsed frame, its text, whether it came in a binary frame, and to an extended session. */
export type Frame = {
  op: number
  e?: string
  seq?: number
  // biome-ignore lint/suspicious/noExplicitAny: what the server sends is what the tests find out
  d?: any
  text: string
  binary: boolean
  extended?: boolean
}

type Options = { zlib?: boolean; path?: string; extended?: boolean; headers?: Record<string, string> }

const patienceMs = 60_000
const open = new Set<Client>()

/** The app that listens for all files that share a world. */
let shared: FastifyInstance | undefined

/**
 * An app with a gateway on the world's database and bus, listening on 127.0.0.1, where logins are quick: with settings
 * or in an own world one of its own, as another process has, else that of the world. All its connections end with the
 * test or file.
 */
export async function listen(
  gateway: Partial<GatewaySettings> = {},
  changes: Partial<Config> = {},
): Promise<FastifyInstance> {
  const hasSettings = Object.keys({ ...gateway, ...changes }).length > 0
  if (hasSettings || db !== sharedWorld.db) {
    const app = await start(db, gateway, changes)
    atEnd(async () => {
      cutAll(app)
      await app.close()
    })
    return app
  }
  // Its background work must not take the connections of requests that a test lets wait.
  if (!shared?.server.listening) shared = await start(openDatabaseWithoutTimeouts(databaseUrl), {}, {})
  const app = shared
  atEnd(() => cutAll(app))
  return app
}

async function start(
  db: Db,
  gateway: Partial<GatewaySettings>,
  changes: Partial<Config>,
): Promise<FastifyInstance> {
  const settings = { houseJoinDelayMs: 5, ...gateway }
  const parts = { db, store, bus, presences, gateway: settings }
  const app = await buildApp({ ...parts, config: { ...config, ...changes } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

function cutAll(app: FastifyInstance): void {
  for (const client of open) client.socket.terminate()
  // A kept-alive connection whose last answer is just ending is waited for, more than a minute.
  app.server.closeAllConnections()
}

/** The port of an app, or of a server in another process by its origin. */
export function portOf(app: FastifyInstance | string): number {
  if (typeof app === 'string') return Number(new URL(app).port)
  return (app.server.address() as AddressInfo).port
}

/** A client written from docs/gateway.md alone. */
export class Client {
  readonly socket: WebSocket
  readonly frames: Frame[] = []
  closed: { code: number; reason: string } | undefined
  /** The names of the events that the last `next` passed over. */
  passed: string[] = []
  #extended = false
  #waiting: (() => void)[] = []
  #taken = 0

  constructor(app: FastifyInstance | string, { zlib, path = '/socket', headers }: Options = {}) {
    const query = zlib ? '?encoding=json&compression=zlib_json' : '?encoding=json&compression=text_json'
    const address = path.includes('?') ? path : path + query
    this.socket = new WebSocket(`ws://127.0.0.1:${portOf(app)}${address}`, { headers })
    open.add(this)
    this.socket.on('message', (data: Buffer, binary) => {
      const text = (binary ? inflateSync(data) : data).toString('utf8')
      this.frames.push({ ...JSON.parse(text), text, binary, extended: this.#extended })
      this.#wake()
    })
    this.socket.on('close', (code, reason) => {
      open.delete(this)
      this.closed = { code, reason: reason.toString() }
      this.#wake()
    })
    this.socket.on('error', () => {})
    this.socket.setMaxListeners(0)
  }

  get events(): Frame[] {
    return this.frames.filter((frame) => frame.op === 0)
  }

  send(frame: unknown): void {
    if ((frame as { d?: { extended?: unknown } }).d?.extended === true) this.#extended = true
    const text = typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text)
    else this.socket.once('open', () => this.socket.send(text))
  }

  /** Settles when the condition is true; it is checked after each frame and at the end. */
  async until(condition: () => boolean, what = 'it'): Promise<void> {
    const deadline = Date.now() + patienceMs
    while (!condition()) {
      const left = deadline - Date.now()
      if (left <= 0 || this.closed) {
        const seen = this.events.map((frame) => frame.e).join(' ')
        throw new Error(`waited for ${what} in vain; seen: ${seen}; closed: ${JSON.stringify(this.closed)}`)
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  /** The next event of this name that was not taken yet; those before it are passed over. */
  async next(name: string): Promise<Frame> {
    let found: Frame | undefined
    await this.until(() => {
      const index = this.events.findIndex((frame, place) => place >= this.#taken && frame.e === name)
      if (index === -1) return false
      found = this.events[index]
      this.passed = this.events.slice(this.#taken, index).map((frame) => frame.e!)
      this.#taken = index + 1
      return true
    }, name)
    return found!
  }

  /** Counts everything received so far as taken. */
  takeAll(): void {
    this.#taken = this.events.length
  }

  async hello(): Promise<void> {
    await this.until(() => this.frames.length > 0, 'hello')
  }

  async end(): Promise<{ code: number; reason: string }> {
    await this.until(() => this.closed !== undefined, 'the end')
    return this.closed!
  }

  async close(code = 1000): Promise<void> {
    this.socket.close(code)
    await this.end()
  }

  /** Cuts the line as a lost network does. */
  async cut(): Promise<void> {
    this.socket.terminate()
    await this.end()
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

/** Connects and logs in, up to the last HOUSE_JOIN of the login. */
export async function logIn(
  app: FastifyInstance | string,
  person: Person,
  options: Options = {},
): Promise<Client> {
  const client = new Client(app, options)
  client.send({ op: 2, d: { token: person.token, ...(options.extended && { extended: true }) } })
  await logged(client)
  return client
}

/** Settles when the state of a login is complete. */
export async function logged(client: Client): Promise<void> {
  const init = await client.next('INIT_STATE')
  for (const _house of init.d.house_ids) await client.next('HOUSE_JOIN')
}

/** Settles when events are no longer buffered for a session, which is a moment after its last HOUSE_JOIN. */
export async function untilReady(app: FastifyInstance, ...clients: Client[]): Promise<void> {
  for (const { events } of clients) {
    const session = app.gateway.registry.sessions.get(events[0]!.d.session_id)!
    await expect.poll(() => session.isReady, { interval: 5 }).toBe(true)
  }
}

/** Keeps the logins of a user from sending HOUSE_JOINs, until what it returns is called; events are buffered meanwhile. */
export function pauseLogins(app: FastifyInstance, { id }: Person): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  // The houses of a user are read one part after another.
  void app.gateway.context.houseReads(id, () => promise)
  atEnd(resolve)
  return resolve
}

/** Takes a session up again. */
export function resume(
  app: FastifyInstance,
  person: Person,
  session_id: string,
  seq: number,
  options: { extended?: true } = {},
): Client {
  const client = new Client(app)
  client.send({ op: 11, d: { session_id, seq, token: person.token, ...options } })
  return client
}

type Schema = {
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  type?: string
}

/**
 * Holds the payload to the contract and to the exact keys of its schema, all the way down, and the frame to its four
 * keys in order.
 */
export function expectExact(frame: Frame): void {
  expect(Object.keys(JSON.parse(frame.text))).toEqual(['seq', 'op', 'e', 'd'])
  expect(breaches(frame.e!, frame.d, frame.extended)).toEqual([])
  const schema = eventSchemas[frame.e as keyof typeof eventSchemas] as unknown as Schema
  expect(schema, frame.e).toBeDefined()
  expectKeys(frame.d, schema, frame.e!)
}

function expectKeys(value: unknown, schema: Schema, path: string): void {
  if (schema.anyOf) {
    if (value === null) return
    const objects = schema.anyOf.filter((one) => one.type === 'object' || one.type === 'array')
    if (objects.length === 1) expectKeys(value, objects[0]!, path)
    return
  }
  if (schema.items) {
    for (const [index, item] of (value as unknown[]).entries()) {
      expectKeys(item, schema.items, `${path}[${index}]`)
    }
  }
  const each = schema.patternProperties && Object.values(schema.patternProperties)[0]
  if (each) {
    for (const [key, item] of Object.entries(value as object)) expectKeys(item, each, `${path}.${key}`)
  }
  if (!schema.properties) return
  const keys = Object.keys(value as object)
  expect(
    keys.filter((key) => !(key in schema.properties!)),
    `${path}: too many keys`,
  ).toEqual([])
  expect(schema.required?.filter((key) => !keys.includes(key)) ?? [], `${path}: missing keys`).toEqual([])
  for (const key of keys)
    expectKeys((value as Record<string, unknown>)[key], schema.properties[key]!, `${path}.${key}`)
}

/** Sends raw bytes to the server. Returns all that it sends until it closes. */
export async function raw(app: FastifyInstance, text: string): Promise<string> {
  const stream = openStream(portOf(app), '127.0.0.1')
  stream.write(text)
  let answer = ''
  for await (const part of stream) answer += part
  return answer
}
