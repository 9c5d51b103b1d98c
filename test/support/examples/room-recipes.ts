import { permission } from '../../../src/houses/permissions.ts'
import { offerPush } from './offer-push.ts'
import type { Recipes } from './recipe.ts'
import { entities, file, library, messages, people, pictures, roles, rooms } from './village.ts'

const { ayumi, jonas, leo, mira, nadia } = people
const { ATTACH_MEDIA } = permission
const { general, lending, cake } = rooms
const { morning, sander, hinge } = messages

export const roomRecipes: Recipes = {
  listHouseRooms: { params: { id: library } },
  createHouseRoom: {
    params: { id: library },
    body: {
      name: 'repairs',
      description: 'Broken things and brave attempts',
      emoji: 'gear',
      parent_entity_id: entities.archive,
    },
  },
  getRoom: { params: { id: lending } },
  editRoom: { params: { id: lending }, body: { name: 'borrowing', position: 0 } },
  deleteRoom: { params: { id: lending } },
  deleteRoomOfHouse: { params: { id: library, room_id: lending } },
  editDefaultPermissions: { params: { id: general }, body: { allow: 0, deny: ATTACH_MEDIA } },
  setOverride: {
    params: { id: general, target_id: nadia.id },
    body: { type: 1, allow: ATTACH_MEDIA, deny: 0 },
  },
  removeOverride: { params: { id: lending, target_id: roles.borrowers } },
  setRoomOverride: { params: { room_id: general }, body: { notification_preference: 2 } },

  listPrivateRooms: {},
  createPrivateRoom: { body: { recipients: [jonas.id, ayumi.id], name: 'Newsletter' } },
  leaveGroup: { params: { id: cake } },
  addRecipient: { params: { id: cake, user_id: ayumi.id } },
  removeRecipient: { params: { id: cake, user_id: leo.id } },
  call: { params: { id: cake } },
  declineCall: { params: { id: cake } },

  getUserIcon: { by: null, params: { id: mira.id, file: pictures.icon } },
  getUserHeader: { by: null, params: { id: mira.id, file: pictures.header } },
}

export const messageRecipes: Recipes = {
  sendMessage: {
    params: { id: general },
    body: { content: `<@${jonas.id}> no hurry, nobody has asked for it.`, nonce: '7f0c4e' },
  },
  sendMediaMessage: {
    params: { id: lending },
    body: { content: 'Who has the other half?' },
    file: { name: 'list.txt', content: 'sander, ladder, drill\n' },
  },
  listMessages: { params: { id: general }, query: { limit: '2', before: hinge } },
  getMessage: { params: { id: lending, message_id: hinge } },
  searchRoom: { params: { id: general }, query: { q: 'sander' } },
  searchHouse: { params: { id: library }, query: { q: '"left hinge"', limit: '10' } },
  editMessage: {
    params: { id: general, message_id: morning },
    body: { content: 'Good morning! The shed is open from eleven today.' },
  },
  editOrAckMessage: {
    params: { id: general, message_id: morning },
    body: { content: 'Good morning! The shed stays closed today.' },
  },
  deleteMessage: { params: { id: general, message_id: morning } },
  deleteHouseMessage: { params: { house_id: library, id: general, message_id: sander } },
  ackMessage: { params: { id: general, message_id: sander } },
  addReaction: { params: { id: general, message_id: sander, emoji: '🎉' } },
  removeReaction: { params: { id: general, message_id: morning, emoji: '☀️' } },
  listReactionUsers: { params: { id: general, message_id: morning, emoji: '☀️' } },
  pinMessage: { params: { id: general, message_id: sander } },
  unpinMessage: { params: { id: general, message_id: morning } },
  listPins: { params: { id: general } },
  startTyping: { params: { id: general } },
  listOwnMentions: { query: { limit: '10' } },
  listOwnFeed: { query: { limit: '1' } },

  getAttachment: {
    by: null,
    params: { room_id: lending, message_id: hinge, filename: file.name },
    query: { key: file.key },
  },

  getHealth: { by: null },
  getReady: { by: null },
  getServer: { by: null, first: offerPush },
}
