import { permission } from '../../../src/houses/permissions.ts'
import { call } from '../world.ts'
import type { Recipes } from './recipe.ts'
import {
  entities,
  invites,
  library,
  messages,
  people,
  picture,
  pictures,
  roles,
  rooms,
  skyClub,
  webhook,
} from './village.ts'

const { cheapdrills, gus, jonas, mira, nadia, tomasz, toolbot } = people
const { MANAGE_ROLES, MODERATE_ROOM } = permission
const id = library
const newHouse = { name: 'The Tool and Toy Library', description: null }

export const houseRecipes: Recipes = {
  createHouse: { body: { name: 'Seed Swap', description: 'Tomatoes, mostly.', icon: picture } },
  listOwnHouses: {},
  getHouse: { params: { id } },
  editHouse: { params: { id }, body: newHouse },
  deleteHouse: { params: { id } },
  leaveHouse: { params: { id: skyClub } },
  removeHouseIcon: { params: { id } },
  handOverHouse: { params: { id }, body: { user_id: tomasz.id } },

  getRetention: { params: { id } },
  setRetention: { params: { id }, body: { max_age: 2_592_000 } },

  createInvite: { params: { id }, body: { max_uses: 5, max_age: 86_400 } },
  listInvites: { params: { id } },
  getInvite: { by: null, params: { code: invites.library } },
  useInvite: { by: 'leo', params: { code: invites.skyClub }, body: {} },
  revokeInvite: { params: { code: invites.library } },

  listMembers: { params: { id }, query: { limit: '2' } },
  getMember: { params: { id, user_id: tomasz.id } },
  kickMember: { params: { id, user_id: nadia.id } },
  kickMemberByShortPath: { params: { house_id: id, user_id: nadia.id } },
  addBot: { params: { id }, body: { bot_id: toolbot.id } },
  listBans: { params: { id } },
  banUser: { params: { id, user_id: gus.id }, body: { reason: 'Never brought the saw back' } },
  liftBan: { params: { id, user_id: cheapdrills.id } },

  listRoles: { params: { id } },
  createRole: { params: { id }, body: { name: 'Teachers', color: '#cd853f', allow: MODERATE_ROOM } },
  editRole: {
    params: { id, role_id: roles.keepers },
    body: { name: 'Head keepers', allow: MODERATE_ROOM | MANAGE_ROLES },
  },
  deleteRole: { params: { id, role_id: roles.borrowers } },
  giveRole: { params: { id, user_id: nadia.id, role_id: roles.borrowers } },
  takeRole: { params: { id, user_id: jonas.id, role_id: roles.borrowers } },

  createEntity: { params: { id }, body: { name: 'Workshops' } },
  editEntity: {
    params: { id, entity_id: entities.rooms },
    body: {
      resource_pointers: [rooms.lending, rooms.general].map((resource_id) => {
        return { resource_type: 'room', resource_id }
      }),
    },
  },
  deleteEntity: { params: { id, entity_id: entities.archive } },

  listAuditLog: {
    params: { id },
    query: { limit: '2' },
    first: async () => {
      await call(mira, 'DELETE', `/rooms/${rooms.general}/messages/${messages.sander}`)
      await call(mira, 'PATCH', `/houses/${id}`, newHouse)
      return undefined
    },
  },

  createWebhook: { params: { id }, body: { room_id: rooms.lending, name: 'Workshop calendar' } },
  listWebhooks: { params: { id } },
  editWebhook: { params: { id, webhook_id: webhook.id }, body: { room_id: rooms.general } },
  deleteWebhook: { params: { id, webhook_id: webhook.id } },
  rotateWebhookToken: { params: { id, webhook_id: webhook.id } },
  executeWebhook: {
    by: null,
    params: { webhook_id: webhook.id, token: webhook.token },
    body: { content: 'The sander is back on its shelf.' },
  },

  getHouseIcon: { by: null, params: { id, file: pictures.library } },
}
