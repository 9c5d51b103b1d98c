import { sql } from 'kysely'
import { hashPassword } from '../../../src/auth/passwords.ts'
import { hashToken } from '../../../src/auth/tokens.ts'
import { db, type Person } from '../world.ts'
import { settleHouses, settleMessages, settlePictures, settlePrivateRooms } from './settle-rooms.ts'
import { codes, on, password, people, phone, pictures } from './village.ts'

const { mira, jonas, leo, priya, sam, gus, cheapdrills, toolbot } = people
const passwordHash = await hashPassword(password, { address: '' })

/** What is not deleted with rooms and users, at least not where messages are distributed. */
const tables = [
  'removed_rooms',
  'pins',
  'read_states',
  'room_heads',
  'reactions',
  'reaction_counts',
  'mentions',
  'messages',
  'rooms',
  'houses',
  'discarded_files',
  'audit_log',
  'server_audit_log',
  'oidc_codes',
  'users',
] as const

/** Empties the database and creates all example users again. */
export async function settle(): Promise<void> {
  for (const table of tables) await db.deleteFrom(table).execute()
  await settlePictures()
  await settlePeople()
  await settleSessions()
  await settleRelationships()
  await settleHouses()
  await settlePrivateRooms()
  await settleMessages()
}

async function settlePeople(): Promise<void> {
  const accounts = Object.values(people).map(({ id, username, name }) => {
    const bot = id === toolbot.id
    const kind = { bot, owner_id: bot ? mira.id : null, email: bot ? null : `${username}@example.org` }
    return { id, username, name, ...kind }
  })
  await db.insertInto('users').values(accounts).execute()
  const described = [
    { ...mira, bio: 'Keeps the tool library running.', location: 'Lisbon' },
    { ...jonas, bio: 'Bread on Fridays.', location: 'Malmö' },
    { ...toolbot, bio: 'Counts the drills.', location: 'The shed' },
  ]
  for (const { id, bio, location } of described) {
    await db.updateTable('users').set({ bio, location }).where('id', '=', id).execute()
  }
  const shown = { icon: pictures.icon, header: pictures.header, website: 'https://tools.example.org' }
  await db
    .updateTable('users')
    .set({ ...shown, email_verified: true, password_hash: passwordHash, admin: true })
    .where('id', '=', mira.id)
    .execute()
  await db
    .insertInto('settings')
    .values({ user_id: mira.id, theme: 'dark', onboarded: true, enable_desktop_notifications: false })
    .execute()
}

async function settleSessions(): Promise<void> {
  const device = { client: 'Hearth desktop 1.4', address: '203.0.113.7' }
  const sessions = Object.values(people).map(({ id, session_id, token }) => {
    return { id: session_id, user_id: id, token_hash: hashToken(token), ...device }
  })
  const onPhone = { id: phone, user_id: mira.id, token_hash: hashToken('phone'), address: '203.0.113.9' }
  await db.insertInto('sessions').values(sessions).execute()
  await db
    .insertInto('sessions')
    .values({ ...onPhone, client: 'Hearth phone 1.2', last_seen_at: on('04T07:30') })
    .execute()
  const expires_at = sql<Date>`now() + interval '1 hour'`
  await db
    .insertInto('account_codes')
    .values([
      {
        user_id: jonas.id,
        purpose: 'verify_email',
        code_hash: hashToken(codes.email),
        email: 'jonas@example.org',
        expires_at,
      },
      { user_id: mira.id, purpose: 'reset_password', code_hash: hashToken(codes.reset), expires_at },
    ])
    .execute()
}

async function settleRelationships(): Promise<void> {
  await db
    .insertInto('friendships')
    .values([pair(mira, jonas), pair(mira, priya), pair(jonas, leo)])
    .execute()
  await db
    .insertInto('friend_requests')
    .values([
      { from_id: leo.id, to_id: mira.id, created_at: on('04T09:00') },
      { from_id: mira.id, to_id: sam.id, created_at: on('04T09:30') },
    ])
    .execute()
  await db
    .insertInto('blocks')
    .values([
      { user_id: mira.id, target_id: cheapdrills.id, type: 5, created_at: on('04T10:00') },
      { user_id: mira.id, target_id: gus.id, type: 4, created_at: on('04T10:30') },
    ])
    .execute()
}

/** Ids of the village are of equal length, so that text sorts as numbers do. */
function pair(one: Person, other: Person) {
  const [user_low, user_high] = [one.id, other.id].sort() as [string, string]
  return { user_low, user_high, created_at: on('03T12:00') }
}
