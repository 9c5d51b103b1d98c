import { db } from '../world.ts'
import type { Recipes } from './recipe.ts'
import { audited, people, skyClub } from './village.ts'

const { mira, jonas, cheapdrills } = people

export const administrationRecipes: Recipes = {
  getOwnAdministration: {},
  getAdminOverview: {},
  listAdministeredUsers: { query: { q: 'mira', limit: '1' } },
  getAdministeredUser: { params: { id: jonas.id } },
  administerUser: { params: { id: cheapdrills.id }, body: { disabled: true } },
  deleteAdministeredUser: { params: { id: cheapdrills.id } },
  endSessionsOfUser: { params: { id: cheapdrills.id } },
  listAdministeredHouses: { query: { limit: '1' } },
  deleteAdministeredHouse: { params: { id: skyClub } },
  listServerAuditLog: {
    first: async () => {
      await db
        .insertInto('server_audit_log')
        .values({
          id: audited,
          action: 'user_edited',
          actor_id: mira.id,
          target_id: cheapdrills.id,
          target_type: 'user',
          changes: JSON.stringify([{ key: 'disabled', old: false, new: true }]),
        })
        .execute()
      return undefined
    },
  },
}
