import { randomBytes } from 'node:crypto'
import { register } from '../accounts/operations.ts'
import { findTakenLogin } from '../accounts/queries.ts'
import { deleteSessions, listSessions } from '../accounts/sessions/queries.ts'
import type { Caller } from '../auth/queries.ts'
import type { Db } from '../database/client.ts'
import { requestFriendship } from '../friendships/operations.ts'
import { createInvite, useInvite } from '../houses/invites/operations.ts'
import { createHouse } from '../houses/operations.ts'
import { permission } from '../houses/permissions.ts'
import type { Membership } from '../houses/queries.ts'
import { giveRole } from '../houses/roles/member-role-operations.ts'
import { createRole } from '../houses/roles/operations.ts'
import { greatestId } from '../ids.ts'
import { createSender, type Send } from '../messages/send/operations.ts'
import { createHouseRoom } from '../rooms/operations.ts'
import { createPrivateRoom } from '../rooms/private-rooms/operations.ts'
import type { Store } from '../storage/store.ts'
import { editUser } from '../users/operations.ts'
import { CliError, type Command, count } from './command.ts'
import { friendships, group, houses, pair, people, requests, type Username } from './demo-script.ts'
import { withInstallation } from './installation.ts'

const passwordBytes = 9
const uncounted = async () => {}
const moderatorBits = permission.MODERATE_ROOM | permission.EVICT_MEMBERS | permission.MANAGE_INVITES

type Cast = Record<Username, Caller>
type Stage = { db: Db; store: Store; cast: Cast; send: Send }

export const demo: Command = {
  name: 'demo',
  summary: 'Create a small community to try the server with',
  parameters: [],
  options: {},
  async run(_args, context) {
    await withInstallation(context, async ({ db, store }) => {
      await refuseTwice(db)
      const password = randomBytes(passwordBytes).toString('base64url')
      const cast = await makePeople(db, store, password)
      // Nobody is connected to this process; the servers read the log.
      const stage = { db, store, cast, send: createSender(db, { deliver: async () => {} }, () => '') }
      for (const house of houses) await makeHouse(stage, house)
      await makeRelations(stage)
      await makePrivateRooms(stage)
      for (const { id } of Object.values(cast)) await deleteSessions(db, id)
      context.print(`${count(Object.keys(cast).length, 'user')} live in ${count(houses.length, 'house')}.`)
      context.print(`Log in as ${Object.keys(cast).join(', ')} with the password ${password}`)
    })
  },
}

async function refuseTwice(db: Db): Promise<void> {
  for (const username of Object.keys(people)) {
    const taken = await findTakenLogin(db, { username, email: emailOf(username) })
    if (taken.username || taken.email) {
      throw new CliError(`There is somebody called ${username} already: the demo is for a server without.`)
    }
  }
}

function emailOf(username: string): string {
  return `${username}@demo.example`
}

async function makePeople(db: Db, store: Store, password: string): Promise<Cast> {
  const cast: Partial<Cast> = {}
  for (const [username, { name, bio, location }] of Object.entries(people)) {
    const fields = { email: emailOf(username), username, name, password }
    const { answer } = await register(db, fields, { client: 'npm run hearth', address: '' })
    const { user } = answer
    await editUser(db, store, user.id, { bio, location })
    const [session] = await listSessions(db, user.id, { before: greatestId, limit: 1 })
    cast[username as Username] = { id: user.id, session_id: session!.id, bot: false, is_idle: false }
  }
  return cast as Cast
}

async function makeHouse(stage: Stage, house: (typeof houses)[number]): Promise<void> {
  const { db, store, cast } = stage
  const { name, description } = house
  const owner = { user_id: cast[house.owner].id }
  const { answer } = await createHouse(db, store, owner.user_id, { name, description })
  const caller = { ...owner, house_id: answer.id }
  const invite = await createInvite(db, caller, {})
  for (const member of house.members) await useInvite(db, cast[member].id, invite.answer.code)
  await makeRoles(stage, caller, house.roles)
  for (const [place, { lines, ...room }] of house.rooms.entries()) {
    const id = place === 0 ? answer.rooms[0]!.id : (await createHouseRoom(db, caller, room)).answer.id
    await say(stage, id, lines)
  }
}

async function makeRoles(
  { db, cast }: Stage,
  owner: Membership,
  roles: (typeof houses)[number]['roles'],
): Promise<void> {
  for (const [place, { name, color, members, moderates }] of roles.entries()) {
    const position = roles.length - place
    const allow = moderates ? moderatorBits : 0
    const { answer } = await createRole(db, owner, { name, color, position, allow })
    for (const member of members) {
      await giveRole(db, owner, { user_id: cast[member].id, role_id: answer.id })
    }
  }
}

async function makeRelations({ db, cast }: Stage): Promise<void> {
  for (const [one, other] of [...friendships, ...requests]) {
    await requestFriendship(db, cast[one].id, cast[other].id)
  }
  // Who asks back accepts.
  for (const [one, other] of friendships) await requestFriendship(db, cast[other].id, cast[one].id)
}

async function makePrivateRooms(stage: Stage): Promise<void> {
  const { db, cast } = stage
  const recipients = group.others.map((username) => cast[username].id)
  const three = await createPrivateRoom(db, cast[group.owner].id, { recipients, name: group.name }, uncounted)
  await say(stage, three.answer.id, group.lines)
  const [one, other] = pair.between
  const two = await createPrivateRoom(db, cast[one].id, { recipient: cast[other].id }, uncounted)
  await say(stage, two.answer.id, pair.lines)
}

/** Sends the lines, one after the other; `@name` becomes a mention. */
async function say(
  { send, cast }: Stage,
  roomId: string,
  lines: readonly (readonly [Username, string])[],
): Promise<void> {
  for (const [username, text] of lines) {
    const content = text.replace(/@([a-z]+)/g, (word, name) => {
      return name in cast ? `<@${cast[name as Username].id}>` : word
    })
    const plain = { nonce: null, exploding_age: null, attachment: null }
    await send(cast[username], roomId, { content, ...plain })
  }
}
