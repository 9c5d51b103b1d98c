import type { Recipes } from './recipe.ts'
import { people } from './village.ts'

const { ayumi, cheapdrills, gus, jonas, leo } = people

export const peopleRecipes: Recipes = {
  listFriends: {},
  unfriend: { params: { id: jonas.id } },
  listMutualFriends: { params: { user_id: leo.id } },
  listFriendRequests: {},
  requestFriendship: { body: { user_id: ayumi.id } },
  withdrawFriendRequest: { params: { user_id: leo.id } },
  listBlocked: {},
  block: { params: { user_id: gus.id } },
  unblock: { params: { user_id: cheapdrills.id } },
  listRestricted: {},
  restrict: { params: { user_id: ayumi.id } },
  unrestrict: { params: { user_id: gus.id } },
}
