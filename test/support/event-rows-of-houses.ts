import {
  type EventRow,
  gained,
  gone,
  lost,
  members,
  ofHouse,
  ofRoom,
  readers,
  self,
  to,
} from './event-row.ts'
import { connect } from './event-scene.ts'
import { call, db, house, houseRoom } from './world.ts'

/** docs/gateway.md#houses. */
export const houses: EventRow[] = [
  { action: 'make a house', request: () => ['POST', '/houses', { name: 'H' }], received: self('HOUSE_JOIN') },
  {
    action: 'rename a house',
    request: (scene) => ['PATCH', ofHouse(scene), { name: 'H' }],
    received: members('HOUSE_UPDATE'),
  },
  {
    action: 'rename a house without being in charge',
    by: 'member',
    request: (scene) => ['PATCH', ofHouse(scene), { name: 'H' }],
    refused: true,
  },
  {
    action: 'shut everybody out of reading by default',
    request: (scene) => ['PATCH', ofHouse(scene), { name: 'Den', default_permissions: 1 }],
    received: { ...members('HOUSE_UPDATE'), ...to('member', 'blocked')('HOUSE_UPDATE', ...lost) },
  },
  {
    action: 'take away the icon of a house',
    before: ({ den }) =>
      db
        .updateTable('houses')
        .set({ icon: 'a'.repeat(45) })
        .where('id', '=', den.id)
        .execute(),
    request: (scene) => ['DELETE', ofHouse(scene, '/icon')],
    received: members('HOUSE_UPDATE'),
  },
  {
    action: 'join by an invite',
    by: 'stranger',
    request: ({ code }) => ['POST', `/invites/${code}`],
    received: { ...members('HOUSE_MEMBER_JOIN'), ...to('stranger')('HOUSE_JOIN') },
  },
  {
    action: 'join although banned',
    by: 'banned',
    request: ({ code }) => ['POST', `/invites/${code}`],
    refused: true,
  },
  {
    action: 'come back',
    by: 'left',
    request: ({ code }) => ['POST', `/invites/${code}`],
    received: { ...members('HOUSE_MEMBER_JOIN'), ...to('left')('HOUSE_JOIN') },
  },
  {
    action: 'add a bot',
    request: (scene) => ['POST', ofHouse(scene, '/bots'), { bot_id: scene.people.bot.id }],
    received: { ...members('HOUSE_MEMBER_JOIN'), ...to('bot')('HOUSE_JOIN') },
  },
  {
    action: 'leave a house',
    by: 'member',
    request: ({ den }) => ['DELETE', `/users/@me/houses/${den.id}`],
    received: { ...members('HOUSE_MEMBER_LEAVE'), ...to('member')('HOUSE_LEAVE') },
  },
  {
    action: 'leave a house as its owner',
    request: ({ den }) => ['DELETE', `/users/@me/houses/${den.id}`],
    received: { ...members('HOUSE_MEMBER_LEAVE', 'HOUSE_UPDATE'), ...self('HOUSE_LEAVE') },
  },
  {
    action: 'leave a house as the last one',
    before: async (scene) => {
      scene.den = await house({ owner: scene.people.friend })
      await scene.clients.friend.close()
      await gone(scene.people.friend)
      await connect(scene, 'friend')
    },
    by: 'friend',
    request: ({ den }) => ['DELETE', `/users/@me/houses/${den.id}`],
    received: to('friend')('HOUSE_LEAVE'),
  },
  {
    action: 'kick a member',
    request: (scene) => ['DELETE', ofHouse(scene, `/members/${scene.people.unreading.id}`)],
    received: { ...members('HOUSE_MEMBER_LEAVE'), ...to('unreading')('HOUSE_LEAVE') },
  },
  {
    action: 'ban a member',
    request: (scene) => ['PUT', ofHouse(scene, `/bans/${scene.people.blocked.id}`), {}],
    received: { ...members('HOUSE_MEMBER_LEAVE'), ...to('blocked')('HOUSE_LEAVE') },
  },
  {
    action: 'ban somebody who is not in',
    request: (scene) => ['PUT', ofHouse(scene, `/bans/${scene.people.stranger.id}`), {}],
  },
  { action: 'lift a ban', request: (scene) => ['DELETE', ofHouse(scene, `/bans/${scene.people.banned.id}`)] },
  {
    action: 'hand a house over',
    request: (scene) => ['PATCH', ofHouse(scene, '/owner'), { user_id: scene.people.unreading.id }],
    received: { ...members('HOUSE_UPDATE'), ...to('unreading')('HOUSE_UPDATE', ...gained) },
  },
  {
    action: 'delete a house',
    request: (scene) => ['DELETE', ofHouse(scene)],
    received: members('HOUSE_DOWN'),
  },
  {
    action: 'make a room',
    request: (scene) => ['POST', ofHouse(scene, '/rooms'), { name: 'r' }],
    received: { ...readers(...gained), ...to('unreading')('HOUSE_ENTITIES_UPDATE') },
  },
  {
    action: 'edit a room',
    request: (scene) => ['PATCH', ofRoom(scene), { description: 'd' }],
    received: readers('ROOM_UPDATE'),
  },
  {
    action: 'move a room to another entity',
    request: async (scene) => {
      const room = await houseRoom(scene.den)
      await db.deleteFrom('entity_rooms').where('room_id', '=', room).execute()
      return ['PATCH', `/rooms/${room}`, { parent_entity_id: scene.den.entity_id }]
    },
    received: members('HOUSE_ENTITIES_UPDATE'),
  },
  {
    action: 'delete a room',
    before: ({ den }) => houseRoom(den),
    request: (scene) => ['DELETE', ofRoom(scene)],
    received: { ...readers(...lost), ...to('unreading')('HOUSE_ENTITIES_UPDATE') },
  },
  {
    action: 'make an entity',
    request: (scene) => ['POST', ofHouse(scene, '/entities'), { name: 'E' }],
    received: members('HOUSE_ENTITIES_UPDATE'),
  },
  {
    action: 'edit an entity',
    request: (scene) => ['PATCH', ofHouse(scene, `/entities/${scene.den.entity_id}`), { name: 'E' }],
    received: members('HOUSE_ENTITIES_UPDATE'),
  },
  {
    action: 'delete an entity',
    before: ({ den }) => db.deleteFrom('entity_rooms').where('entity_id', '=', den.entity_id).execute(),
    request: (scene) => ['DELETE', ofHouse(scene, `/entities/${scene.den.entity_id}`)],
    received: members('HOUSE_ENTITIES_UPDATE'),
  },
]

/** Of docs/gateway.md#roles-and-visibility. */
export const permissions: EventRow[] = [
  {
    action: 'make a role',
    request: (scene) => ['POST', ofHouse(scene, '/roles'), { name: 'r' }],
    received: members('ROLE_CREATE'),
  },
  {
    action: 'rename a role',
    request: (scene) => ['PATCH', ofHouse(scene, `/roles/${scene.role_id}`), { name: 'r' }],
    received: members('ROLE_UPDATE'),
  },
  {
    action: 'delete a role',
    request: (scene) => ['DELETE', ofHouse(scene, `/roles/${scene.role_id}`)],
    received: members('ROLE_DELETE'),
  },
  {
    action: 'let a role read',
    request: (scene) => ['PATCH', ofHouse(scene, `/roles/${scene.gag_id}`), { deny: 0 }],
    received: { ...members('ROLE_UPDATE'), ...to('unreading')('ROLE_UPDATE', ...gained) },
  },
  {
    action: 'delete a role that forbids reading',
    request: (scene) => ['DELETE', ofHouse(scene, `/roles/${scene.gag_id}`)],
    received: { ...members('ROLE_DELETE'), ...to('unreading')('ROLE_DELETE', ...gained) },
  },
  {
    action: 'give a role',
    request: (scene) => ['PUT', ofHouse(scene, `/members/${scene.people.member.id}/roles/${scene.role_id}`)],
    received: members('HOUSE_MEMBER_UPDATE'),
  },
  {
    action: 'give a role that forbids reading',
    request: (scene) => ['PUT', ofHouse(scene, `/members/${scene.people.member.id}/roles/${scene.gag_id}`)],
    received: { ...members('HOUSE_MEMBER_UPDATE'), ...to('member')('HOUSE_MEMBER_UPDATE', ...lost) },
  },
  {
    action: 'take a role that forbids reading',
    request: (scene) => [
      'DELETE',
      ofHouse(scene, `/members/${scene.people.unreading.id}/roles/${scene.gag_id}`),
    ],
    received: { ...members('HOUSE_MEMBER_UPDATE'), ...to('unreading')('HOUSE_MEMBER_UPDATE', ...gained) },
  },
  {
    action: 'let somebody into a room',
    request: (scene) => [
      'PUT',
      ofRoom(scene, `/overrides/${scene.people.unreading.id}`),
      { type: 1, allow: 2, deny: 0 },
    ],
    received: { ...readers('ROOM_UPDATE'), ...to('unreading')(...gained) },
  },
  {
    action: 'shut somebody out of a room',
    request: (scene) => [
      'PUT',
      ofRoom(scene, `/overrides/${scene.people.member.id}`),
      { type: 1, allow: 0, deny: 2 },
    ],
    received: { ...readers('ROOM_UPDATE'), ...to('member')(...lost) },
  },
  {
    action: 'lift an override',
    before: (scene) =>
      call(scene.people.caller, 'PUT', ofRoom(scene, `/overrides/${scene.people.member.id}`), {
        type: 1,
        allow: 0,
        deny: 2,
      }),
    request: (scene) => ['DELETE', ofRoom(scene, `/overrides/${scene.people.member.id}`)],
    received: { ...readers('ROOM_UPDATE'), ...to('member')(...gained) },
  },
  {
    action: 'shut everybody out of a room',
    request: (scene) => ['PATCH', ofRoom(scene, '/default-permissions'), { allow: 0, deny: 2 }],
    received: { ...self('ROOM_UPDATE'), ...to('member', 'blocked')(...lost) },
  },
]
