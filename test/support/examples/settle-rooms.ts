import { hashToken } from '../../../src/auth/tokens.ts'
import { newHousePermissions, permission } from '../../../src/houses/permissions.ts'
import { pictureName } from '../../../src/images/picture.ts'
import { attachmentFile } from '../../../src/messages/attachments/queries.ts'
import { db, type Person, store } from '../world.ts'
import {
  entities,
  file,
  invites,
  library,
  messages,
  on,
  people,
  pictures,
  roles,
  rooms,
  skyClub,
  webhook,
} from './village.ts'

const { mira, jonas, tomasz, nadia, leo, priya, cheapdrills } = people
const { MANAGE_ROOMS, MODERATE_ROOM, SEND_MESSAGES } = permission

/** The files behind the pictures' names: what is in them is of no matter here. */
export async function settlePictures(): Promise<void> {
  const webp = Buffer.from('RIFF')
  await store.write(pictureName('users/icons', mira.id, pictures.icon), webp)
  await store.write(pictureName('users/headers', mira.id, pictures.header), webp)
  await store.write(pictureName('houses/icons', library, pictures.library), webp)
}

async function settleWebhook(): Promise<void> {
  const { id, name, token } = webhook
  const account = { id, username: `webhook-${id}`, name, bot: true, owner_id: id }
  await db.insertInto('users').values(account).execute()
  const token_hash = hashToken(token)
  await db
    .insertInto('webhooks')
    .values({ id, house_id: library, room_id: rooms.lending, token_hash })
    .execute()
}

export async function settleHouses(): Promise<void> {
  const default_permissions = newHousePermissions
  await db
    .insertInto('houses')
    .values([
      {
        id: library,
        name: 'The Tool Library',
        owner_id: mira.id,
        icon: pictures.library,
        description: 'Borrow a drill, bring it back charged.',
        default_permissions,
      },
      {
        id: skyClub,
        name: 'Night Sky Club',
        owner_id: priya.id,
        icon: null,
        description: 'Clear nights, warm tea.',
        default_permissions,
      },
    ])
    .execute()
  await settleMembers()
  await db
    .insertInto('rooms')
    .values([
      { id: rooms.general, house_id: library, type: 0, name: 'general', position: 0 },
      {
        id: rooms.lending,
        house_id: library,
        type: 0,
        name: 'lending',
        position: 1,
        emoji: 'wrench',
        description: 'What you need, from when to when',
        permission_overrides: JSON.stringify({
          [roles.borrowers]: { id: roles.borrowers, type: 0, allow: SEND_MESSAGES, deny: 0 },
        }),
      },
      { id: rooms.stars, house_id: skyClub, type: 0, name: 'general', position: 0 },
    ])
    .execute()
  await settleWebhook()
  await db
    .insertInto('entities')
    .values([
      { id: entities.rooms, house_id: library, name: 'Rooms', position: 0 },
      { id: entities.archive, house_id: library, name: 'Archive', position: 1 },
      { id: entities.stars, house_id: skyClub, name: 'Rooms', position: 0 },
    ])
    .execute()
  await db
    .insertInto('entity_rooms')
    .values([
      { room_id: rooms.general, entity_id: entities.rooms, position: 0 },
      { room_id: rooms.lending, entity_id: entities.rooms, position: 1 },
      { room_id: rooms.stars, entity_id: entities.stars, position: 0 },
    ])
    .execute()
}

async function settleMembers(): Promise<void> {
  const join = (house_id: string, { id }: Person, time: string) => ({
    house_id,
    user_id: id,
    joined_at: on(time),
    last_permission_update: id === tomasz.id || id === jonas.id ? on('03T10:00') : null,
  })
  await db
    .insertInto('members')
    .values([
      join(library, mira, '02T09:00'),
      join(library, jonas, '02T15:00'),
      join(library, tomasz, '02T16:00'),
      join(library, nadia, '02T17:00'),
      join(skyClub, priya, '02T10:00'),
      join(skyClub, mira, '02T18:00'),
    ])
    .execute()
  const keepers = { allow: MANAGE_ROOMS | MODERATE_ROOM, position: 2, color: '#2e8b57' }
  await db
    .insertInto('roles')
    .values([
      { id: roles.keepers, house_id: library, name: 'Keepers', ...keepers },
      { id: roles.borrowers, house_id: library, name: 'Borrowers', position: 1, color: '#4682b4' },
    ])
    .execute()
  await db
    .insertInto('member_roles')
    .values([
      { house_id: library, user_id: tomasz.id, role_id: roles.keepers },
      { house_id: library, user_id: jonas.id, role_id: roles.borrowers },
    ])
    .execute()
  const ban = { house_id: library, user_id: cheapdrills.id, created_by: mira.id }
  await db
    .insertInto('bans')
    .values({ ...ban, reason: 'Advertised in every room', created_at: on('04T10:05') })
    .execute()
  await db
    .insertInto('invites')
    .values([
      {
        code: invites.library,
        house_id: library,
        creator_id: mira.id,
        created_at: on('02T14:00'),
        uses: 3,
        max_uses: 10,
      },
      { code: invites.skyClub, house_id: skyClub, creator_id: priya.id, created_at: on('02T17:30') },
    ])
    .execute()
}

export async function settlePrivateRooms(): Promise<void> {
  await db
    .insertInto('rooms')
    .values([
      { id: rooms.cake, type: 2, owner_id: mira.id, name: 'Cake committee', emoji: 'cake' },
      { id: rooms.withPriya, type: 1, user_low: mira.id, user_high: priya.id },
    ])
    .execute()
  await db
    .insertInto('room_recipients')
    .values([
      { room_id: rooms.cake, user_id: mira.id, joined_at: on('02T11:00') },
      { room_id: rooms.cake, user_id: jonas.id, joined_at: on('02T11:01') },
      { room_id: rooms.cake, user_id: leo.id, joined_at: on('02T11:02') },
      { room_id: rooms.withPriya, user_id: mira.id, joined_at: on('02T12:00') },
      { room_id: rooms.withPriya, user_id: priya.id, joined_at: on('02T12:00') },
    ])
    .execute()
}

export async function settleMessages(): Promise<void> {
  const { general, lending, cake, withPriya } = rooms
  await say(general, messages.morning, mira, 'Good morning! The shed is open from ten today.')
  await say(general, messages.sander, jonas, `Great, I still have the sander. Back by noon, <@${mira.id}>.`)
  await say(lending, messages.hinge, tomasz, 'The ladder is yours. Please mind the left hinge.')
  await say(cake, messages.plum, jonas, 'Thursday: plum or apple?')
  await say(withPriya, messages.tripod, priya, 'Does the tripod fit into your car?')
  const { key, name: filename, content } = file
  const attachment = { key, filename, content_type: 'application/octet-stream', size: content.length }
  await store.write(attachmentFile(lending, key), Buffer.from(content))
  await db
    .updateTable('messages')
    .set({ attachment: JSON.stringify(attachment) })
    .where('id', '=', messages.hinge)
    .execute()
  await db
    .updateTable('messages')
    .set({ mentions: [mira.id] })
    .where('id', '=', messages.sander)
    .execute()
  const reacted = { room_id: general, message_id: messages.morning, emoji: '☀️' }
  await db
    .insertInto('reactions')
    .values([mira, jonas].map(({ id }) => ({ ...reacted, user_id: id })))
    .execute()
  await db
    .insertInto('reaction_counts')
    .values({ ...reacted, count: 2, place: 1 })
    .execute()
  await db.insertInto('pins').values({ room_id: general, message_id: messages.morning }).execute()
  const mention = { user_id: mira.id, message_id: messages.sander, room_id: general, author_id: jonas.id }
  await db.insertInto('mentions').values(mention).execute()
  await db
    .insertInto('read_states')
    .values([
      { user_id: mira.id, room_id: general, message_id: messages.morning },
      { user_id: mira.id, room_id: lending, message_id: messages.hinge },
    ])
    .execute()
  await db
    .insertInto('room_settings')
    .values({ user_id: mira.id, room_id: lending, notification_preference: 1 })
    .execute()
}

async function say(room_id: string, id: string, author: Person, content: string): Promise<void> {
  const { house_id } = await db
    .selectFrom('rooms')
    .select('house_id')
    .where('id', '=', room_id)
    .executeTakeFirstOrThrow()
  const row = { room_id, house_id, id, author_id: author.id, device_id: author.session_id, content }
  await db.insertInto('messages').values(row).execute()
  await db.updateTable('room_heads').set({ last_message_id: id }).where('room_id', '=', room_id).execute()
}
