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
import { withoutBudget } from '../images/budget.ts'
import { createSender, type Send } from '../messages/send/operations.ts'
import { createHouseRoom } from '../rooms/operations.ts'
import { createPrivateRoom } from '../rooms/private-rooms/operations.ts'
import type { Store } from '../storage/store.ts'
import { editUser } from '../users/operations.ts'
import { CliError, type Command, count } from './command.ts'
import { friendships, group, houses, pair, people, requests, type Username } from './demo-script.ts'
import { withInstallation } from './installation.ts'

const passwordBytes = 9
const device = { client: 'npm run hearth', address: '' }
const uncounted = async () => {}
const moderatorBits = permission.MODERATE_ROOM | permission.EVICT_MEMBERS | permission.MANAGE_INVITES

type DemoUsers = Record<Username, Caller>
type DemoContext = { db: Db; store: Store; users: DemoUsers; send: Send }

export const demo: Command = {
  name: 'demo',
  summary: 'Create a small community to try the server with',
  parameters: [],
  options: {},
  async run(_args, context) {
    await withInstallation(context, async ({ db, store }) => {
      await refuseExistingUsers(db)
      const password = randomBytes(passwordBytes).toString('base64url')
      const users = await createUsers(db, store, password)
      // This process has no connections; the servers read the log.
      const demoContext = {
        db,
        store,
        users,
        send: createSender(db, { beginDelivery: async () => {} }, () => ''),
      }
      for (const house of houses) await makeHouse(demoContext, house)
      await makeRelations(demoContext)
      await makePrivateRooms(demoContext)
      for (const { id } of Object.values(users)) await deleteSessions(db, id)
      context.print(`${count(Object.keys(users).length, 'user')} live in ${count(houses.length, 'house')}.`)
      context.print(`Log in as ${Object.keys(users).join(', ')} with the password ${password}`)
    })
  },
}

async function refuseExistingUsers(db: Db): Promise<void> {
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

async function createUsers(db: Db, store: Store, password: string): Promise<DemoUsers> {
  const users: Partial<DemoUsers> = {}
  for (const [username, { name, bio, location }] of Object.entries(people)) {
    const fields = { email: emailOf(username), username, name, password }
    const { answer } = await register(db, fields, device, { mode: 'open', server: '' })
    const { user } = answer
    await editUser(db, store, withoutBudget(user.id), user.id, { bio, location })
    const [session] = await listSessions(db, user.id, { before: greatestId, limit: 1 })
    const { id } = user
    users[username as Username] = { id, owner_id: id, session_id: session!.id, bot: false, is_idle: false }
  }
  return users as DemoUsers
}

async function makeHouse(demoContext: DemoContext, house: (typeof houses)[number]): Promise<void> {
  const { db, store, users } = demoContext
  const { name, description } = house
  const owner = { user_id: users[house.owner].id }
  const { answer } = await createHouse(db, store, withoutBudget(owner.user_id), owner.user_id, {
    name,
    description,
  })
  const caller = { ...owner, house_id: answer.id }
  const invite = await createInvite(db, caller, {})
  for (const member of house.members) await useInvite(db, users[member].id, invite.answer.code)
  await makeRoles(demoContext, caller, house.roles)
  for (const [place, { lines, ...room }] of house.rooms.entries()) {
    const id = place === 0 ? answer.rooms[0]!.id : (await createHouseRoom(db, caller, room)).answer.id
    await sendLines(demoContext, id, lines)
  }
}

async function makeRoles(
  { db, users }: DemoContext,
  owner: Membership,
  roles: (typeof houses)[number]['roles'],
): Promise<void> {
  for (const [place, { name, color, members, moderates }] of roles.entries()) {
    const position = roles.length - place
    const allow = moderates ? moderatorBits : 0
    const { answer } = await createRole(db, owner, { name, color, position, allow })
    for (const member of members) {
      await giveRole(db, owner, { user_id: users[member].id, role_id: answer.id })
    }
  }
}

async function makeRelations({ db, users }: DemoContext): Promise<void> {
  for (const [one, other] of [...friendships, ...requests]) {
    await requestFriendship(db, users[one].id, users[other].id)
  }
  // Who asks back accepts.
  for (const [one, other] of friendships) await requestFriendship(db, users[other].id, users[one].id)
}

async function makePrivateRooms(demoContext: DemoContext): Promise<void> {
  const { db, users } = demoContext
  const recipients = group.others.map((username) => users[username].id)
  const three = await createPrivateRoom(
    db,
    users[group.owner].id,
    { recipients, name: group.name },
    uncounted,
  )
  await sendLines(demoContext, three.answer.id, group.lines)
  const [one, other] = pair.between
  const two = await createPrivateRoom(db, users[one].id, { recipient: users[other].id }, uncounted)
  await sendLines(demoContext, two.answer.id, pair.lines)
}

/** Sends the lines, one after the other; `@name` becomes a mention. */
async function sendLines(
  { send, users }: DemoContext,
  roomId: string,
  lines: readonly (readonly [Username, string])[],
): Promise<void> {
  for (const [username, text] of lines) {
    const content = text.replace(/@([a-z]+)/g, (word, name) => {
      return name in users ? `<@${users[name as Username].id}>` : word
    })
    const plain = { nonce: null, exploding_age: null, attachment: null, reply: null }
    await send(users[username], roomId, { content, ...plain })
  }
}
