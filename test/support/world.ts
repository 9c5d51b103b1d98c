import type { FastifyInstance, InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { unknownUserHash } from '../../src/auth/passwords.ts'
import { hashToken, newToken } from '../../src/auth/tokens.ts'
import type { Config } from '../../src/config.ts'
import type { Db } from '../../src/database/client.ts'
import type { Node } from '../../src/database/node-number.ts'
import type { Bus } from '../../src/events/bus.ts'
import type { HearthEvent } from '../../src/events/events.ts'
import type { PresenceTracker } from '../../src/gateway/presence/presence-tracker.ts'
import { newHousePermissions } from '../../src/houses/permissions.ts'
import { newId } from '../../src/ids.ts'
import type { Store } from '../../src/storage/store.ts'
import { undocumentedFailure } from './documented-routes.ts'
import { openWorld, type World } from './open-world.ts'

// The world of this process: what is exported here belongs to it, and to the own world of a file while there is one.
export let databaseUrl: string
export let folder: string
export let config: Config
export let db: Db
export let store: Store
/** Ids are made with the number 0, whatever this one is. */
export let node: Node
export let bus: Bus
export let presences: PresenceTracker
/** What was published so far, oldest first: no presences, and no deletion of a message of an earlier test. */
export let published: HearthEvent[]
export let app: FastifyInstance

/** Makes the exports of this module those of a world. */
export function enterWorld(world: World): void {
  ;({ databaseUrl, folder, config, db, store, node, bus, presences, published, app } = world)
}

export const sharedWorld: World = await openWorld()
enterWorld(sharedWorld)

/** An account with a token. */
export type Person = { id: string; username: string; token: string; session_id: string }

export type Answer = {
  status: number
  headers: Record<string, unknown>
  /** The raw body. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what the server answers is what the tests find out
  body: any
}

/**
 * How to send requests to an app: as somebody or (null) without a token; `body` as JSON unless `more` says otherwise.
 * Throws where the answer is a failure that docs/api.md does not list for the route.
 */
export function callOn(app: FastifyInstance) {
  return async (
    caller: Person | null,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS',
    url: string,
    body?: unknown,
    more: InjectOptions = {},
  ): Promise<Answer> => {
    const authorization = caller ? { authorization: caller.token } : {}
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const reply = await app.inject({
      method,
      url,
      ...payload,
      ...more,
      headers: { ...authorization, ...type, ...more.headers },
    })
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    const answer = isJson && reply.body !== '' ? JSON.parse(reply.body) : undefined
    const undocumented = answer?.error && undocumentedFailure(method, url, answer.error)
    if (undocumented) throw new Error(undocumented)
    return { status: reply.statusCode, headers: reply.headers, text: reply.body, body: answer }
  }
}

/** Sends a request to the app of the world. */
export const call: ReturnType<typeof callOn> = (...request) => callOn(app)(...request)

/** The answer of a failed request, to compare a body with. */
export function failure(code: string, message: string) {
  return { success: false, error: { code, message } }
}

export const unavailable = failure('unavailable', 'The service is temporarily unavailable')
export const noAuth = failure('no_auth', 'Authorization is required for this route')

let names = 0

/** A name that nobody else has, and that begins with this one. */
export function uniqueName(begin: string): string {
  names += 1
  return `${begin}${names}`
}

/** Makes an account with a login session. */
export async function user(
  fields: { username?: string; name?: string; email?: string; bot_of?: Person } = {},
) {
  const id = newId()
  const session_id = newId()
  const token = newToken()
  const username = fields.username ?? uniqueName('person')
  const account = {
    id,
    username,
    name: fields.name ?? username,
    bot: fields.bot_of !== undefined,
    owner_id: fields.bot_of?.id ?? null,
    email: fields.bot_of ? null : (fields.email ?? `${username}@example.org`),
    // Of a password that nobody knows: a person without one proves themself by a fresh login.
    password_hash: fields.bot_of ? null : unknownUserHash,
  }
  // In one statement, as no other is made as often.
  await db
    .with('made', (trx) => trx.insertInto('users').values(account))
    .insertInto('sessions')
    .values({ id: session_id, user_id: id, token_hash: hashToken(token) })
    .execute()
  return { id, username, token, session_id } satisfies Person
}

/** Makes an admin of the server. */
export async function admin(): Promise<Person> {
  const person = await user()
  await db.updateTable('users').set({ admin: true }).where('id', '=', person.id).execute()
  return person
}

/** A house with its first room, entity and members, without going through the server. */
export type Den = { id: string; room_id: string; entity_id: string; owner: Person }

/** Makes a house as `POST /houses` does, with further members. */
export async function house(options: {
  owner: Person
  members?: Person[]
  default_permissions?: number
}): Promise<Den> {
  const [id, room_id, entity_id] = [newId(), newId(), newId()]
  const default_permissions = options.default_permissions ?? newHousePermissions
  await db
    .insertInto('houses')
    .values({ id, name: 'Den', owner_id: options.owner.id, default_permissions })
    .execute()
  await db
    .insertInto('entities')
    .values({ id: entity_id, house_id: id, name: 'Rooms', position: 0 })
    .execute()
  await db
    .insertInto('rooms')
    .values({ id: room_id, house_id: id, type: 0, name: 'general', position: 0 })
    .execute()
  await db.insertInto('entity_rooms').values({ room_id, entity_id, position: 0 }).execute()
  for (const member of [options.owner, ...(options.members ?? [])]) await enter(id, member)
  return { id, room_id, entity_id, owner: options.owner }
}

/** Makes a user a member now. */
async function enter(houseId: string, member: Person): Promise<void> {
  const joined_at = sql<Date>`clock_timestamp()`
  await db.insertInto('members').values({ house_id: houseId, user_id: member.id, joined_at }).execute()
}

/** Adds a room to a house, at the end of its entity. */
export async function houseRoom(
  den: Den,
  fields: { name?: string; default_deny?: number } = {},
): Promise<string> {
  const id = newId()
  const { count } = await db
    .selectFrom('rooms')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('house_id', '=', den.id)
    .executeTakeFirstOrThrow()
  const position = Number(count)
  const { name = `room ${position}`, default_deny = 0 } = fields
  await db
    .insertInto('rooms')
    .values({ id, house_id: den.id, type: 0, name, position, default_deny })
    .execute()
  await db.insertInto('entity_rooms').values({ room_id: id, entity_id: den.entity_id, position }).execute()
  return id
}

/** Makes a role and gives it to members. */
export async function role(
  den: Den,
  fields: { allow?: number; deny?: number; position?: number; members?: Person[] } = {},
): Promise<string> {
  const { allow = 0, deny = 0, position = 0, members = [] } = fields
  const id = newId()
  await db.insertInto('roles').values({ id, house_id: den.id, name: 'role', allow, deny, position }).execute()
  for (const member of members) {
    await db
      .insertInto('member_roles')
      .values({ house_id: den.id, user_id: member.id, role_id: id })
      .execute()
  }
  return id
}

/** Makes the one-to-one room of two people. */
export async function oneToOne(one: Person, other: Person): Promise<string> {
  const [user_low, user_high] = inOrder(one, other)
  const id = newId()
  await db.insertInto('rooms').values({ id, type: 1, user_low, user_high }).execute()
  for (const person of [one, other]) {
    await db.insertInto('room_recipients').values({ room_id: id, user_id: person.id }).execute()
  }
  return id
}

/** Makes a group; the first is its owner. */
export async function group(owner: Person, ...others: Person[]): Promise<string> {
  const id = newId()
  await db.insertInto('rooms').values({ id, type: 2, owner_id: owner.id }).execute()
  for (const person of [owner, ...others]) {
    await db.insertInto('room_recipients').values({ room_id: id, user_id: person.id }).execute()
  }
  return id
}

/** Makes two people friends. */
export async function friends(one: Person, other: Person): Promise<void> {
  const [user_low, user_high] = inOrder(one, other)
  await db.insertInto('friendships').values({ user_low, user_high }).execute()
}

/** Makes a user block (5) or restrict (4) another. */
export async function block(by: Person, target: Person, type: 4 | 5 = 5): Promise<void> {
  await db.insertInto('blocks').values({ user_id: by.id, target_id: target.id, type }).execute()
}

/** Puts a message into a room, as sending does, and gives its id. */
export async function message(
  roomId: string,
  author: Person,
  fields: { content?: string; mentions?: Person[]; expires_at?: Date } = {},
): Promise<string> {
  const id = newId()
  const { content = 'hello', mentions = [], expires_at = null } = fields
  const room = await db
    .selectFrom('rooms')
    .select('house_id')
    .where('id', '=', roomId)
    .executeTakeFirstOrThrow()
  const row = { room_id: roomId, house_id: room.house_id, id, author_id: author.id, expires_at }
  const mentioned = mentions.map((person) => person.id)
  const exploding_age = expires_at ? 5 : null
  await db
    .insertInto('messages')
    .values({ ...row, device_id: author.session_id, content, mentions: mentioned, exploding_age })
    .execute()
  for (const user_id of mentioned) {
    await db
      .insertInto('mentions')
      .values({ user_id, message_id: id, room_id: roomId, author_id: author.id, expires_at })
      .execute()
  }
  await db.updateTable('room_heads').set({ last_message_id: id }).where('room_id', '=', roomId).execute()
  return id
}

function inOrder(one: Person, other: Person): [string, string] {
  return BigInt(one.id) < BigInt(other.id) ? [one.id, other.id] : [other.id, one.id]
}

/** Matches an ISO time with milliseconds. */
export const expectTime: unknown = {
  asymmetricMatch: (value: unknown) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)),
  toString: () => 'an ISO time',
}
