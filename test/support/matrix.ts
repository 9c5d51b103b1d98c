import { permission } from '../../src/houses/permissions.ts'
import { password, resident } from './accounts.ts'
import { override } from './permissions.ts'
import { pushSubscription } from './push-keys.ts'
import { callersOf, inviteBy, type Needs, type Reach, type Scene } from './scenes.ts'
import { webhook } from './webhooks.ts'
import { db, house, message, type Person, role, uniqueName, user } from './world.ts'

/** 200, 204, or the code of a failure. */
export type Expected = 200 | 204 | string

/** Makes something for one caller; `null` is a caller without a token. */
type Made<Thing> = (scene: Scene, caller: Person | null) => Thing | Promise<Thing>

/** What docs/api.md#routes says of a route: which callers it accepts, and the codes for the others. */
export type Row = {
  route: string
  /** What the route is about: determines the callers and their default answers. */
  reach: Reach
  /** Tells several rows of one route apart. */
  when?: string
  /** The bit, or `owner`. Without it, being in is enough (in a room: reading it). */
  needs?: Needs
  /** What those who get through are answered; 200 if not said. */
  ok?: Expected
  /** The answer to callers who may not see the resource; by default the usual `…_not_found`. */
  unseen?: Expected
  /** The callers who are answered something else than the above. */
  but?: Record<string, Expected>
  /** Path parameters that are not the scene's. */
  at?: Record<string, Made<string>>
  query?: string
  body?: object | Made<object>
  /** Whether the first who gets through leaves nothing for the next, as with every DELETE. */
  once?: true
  /** Sends a file as multipart instead of a body. */
  file?: true
}

const { SEND_MESSAGES } = permission
const notForBots = { bot: 'no_permission' }
const wrongType = 'method_not_allowed_on_room_type'
const ownMessage: Made<string> = (scene, caller) => message(scene.ids.room_id!, caller ?? scene.target)
/** In the one-to-one room of the caller with the target; for a stranger, who has none, in a room of others. */
const ownPairMessage: Made<string> = ({ people, ids, idFor, target }, caller) => {
  const name = Object.keys(idFor).find((each) => people[each] === caller)
  return message(name === undefined ? ids.id! : idFor[name]!, caller ?? target)
}
const pinned: Made<string> = async (scene, caller) => {
  const message_id = await ownMessage(scene, caller)
  await db.insertInto('pins').values({ room_id: scene.ids.room_id!, message_id }).execute()
  return message_id
}
const emoji: Made<string> = () => encodeURIComponent('👍')
const ownBot: Made<string> = async (scene, caller) => (await user({ bot_of: caller ?? scene.target })).id
const foreignBot: Made<string> = async ({ target }) => (await user({ bot_of: target })).id
const newcomer: Made<string> = async () => (await user()).id
const newRole: Made<string> = ({ den }) => role(den!, { position: 1 })
const newWebhook: Made<string> = async ({ den, ids }) => (await webhook(den!, { room_id: ids.room_id! })).id
/** A webhook of a house that no caller is in. */
const executable: Record<string, Made<string>> = {
  webhook_id: async (scene) => (await webhookOf(scene)).id,
  token: async (scene) => (await webhookOf(scene)).token,
}
const webhooks = new WeakMap<Scene, ReturnType<typeof webhook>>()
function webhookOf(scene: Scene) {
  const made = webhooks.get(scene) ?? user().then(async (owner) => webhook(await house({ owner })))
  webhooks.set(scene, made)
  return made
}

async function publicBot({ target }: Scene) {
  const { id } = await user({ bot_of: target })
  await db.updateTable('users').set({ public: true }).where('id', '=', id).execute()
  return { bot_id: id }
}

/** Has a friend request of a new user. */
const asker: Made<string> = async (scene, caller) => {
  const { id } = await user()
  await db
    .insertInto('friend_requests')
    .values({ from_id: id, to_id: (caller ?? scene.target).id })
    .execute()
  return id
}

const overridden = (type: 0 | 1) => async (scene: Scene) => {
  const target = scene.ids[type === 0 ? 'role_id' : 'user_id']!
  await override(scene.ids.room_id!, target, { type, allow: SEND_MESSAGES })
  return target
}

// One line a row where the contract has nothing out of the ordinary to say.
// biome-ignore format: a table
export const matrix: Row[] = [
  // Users
  { route: 'GET /users/@me', reach: 'own' },
  { route: 'PATCH /users/@me', reach: 'own', body: { bio: 'x' } },
  { route: 'GET /users/{ref}', reach: 'open' },
  { route: 'DELETE /users/@me', reach: 'own', ok: 'invalid_credentials', but: notForBots, body: { password: 'wrong password' } },
  // Accounts
  { route: 'POST /auth/register', reach: 'open', body: () => { const username = uniqueName('fresh'); return { email: `${username}@example.org`, username, password } } },
  { route: 'POST /auth/login', reach: 'open', body: async () => ({ login: (await resident()).email, password }) },
  { route: 'POST /auth/logout', reach: 'own', ok: 204 },
  { route: 'POST /auth/verify-email', reach: 'open', ok: 'invalid_code', body: { code: '0'.repeat(32) } },
  { route: 'POST /auth/verify-email/resend', reach: 'own', but: notForBots },
  { route: 'POST /auth/forgot-password', reach: 'open', ok: 204, body: { email: 'nobody@example.org' } },
  { route: 'POST /auth/check-password', reach: 'open', body: { password } },
  { route: 'POST /auth/reset-password', reach: 'open', ok: 'invalid_code', body: { code: '0'.repeat(32), password } },
  { route: 'PATCH /users/@me/email', reach: 'own', ok: 'invalid_credentials', but: notForBots, body: { email: 'new@example.org', password: 'wrong password' } },
  { route: 'PATCH /users/@me/password', reach: 'own', ok: 'invalid_credentials', but: notForBots, body: { current: 'wrong password', new: password } },
  { route: 'GET /users/@me/sessions', reach: 'own' },
  { route: 'GET /users/@me/admin', reach: 'own' },
  { route: 'DELETE /users/@me/sessions/{id}', reach: 'own', when: 'the own', at: { id: (scene, caller) => (caller ?? scene.target).session_id } },
  { route: 'DELETE /users/@me/sessions/{id}', reach: 'own', when: "somebody else's", ok: 'session_not_found', at: { id: (scene) => scene.target.session_id } },
  { route: 'POST /users/@me/mfa/totp', reach: 'own', ok: 'invalid_credentials', but: notForBots, body: { password: 'wrong password' } },
  { route: 'POST /users/@me/mfa/totp/enable', reach: 'own', ok: 'invalid_code', body: { code: '000000' } },
  { route: 'DELETE /users/@me/mfa/totp', reach: 'own', ok: 'mfa_not_enabled', body: { code: '000000' } },
  { route: 'GET /auth/oidc', reach: 'open', ok: 'not_found' },
  { route: 'GET /auth/oidc/callback', reach: 'open', ok: 'not_found' },
  { route: 'POST /auth/oidc', reach: 'open', ok: 'invalid_code', body: { code: '0'.repeat(32) } },
  { route: 'POST /users/@me/export', reach: 'own', ok: 'invalid_credentials', but: notForBots, body: { password: 'wrong password' } },
  { route: 'GET /users/@me/export', reach: 'own', but: notForBots },
  { route: 'POST /users/@me/push-subscriptions', reach: 'own', ok: 'not_offered', body: pushSubscription },
  { route: 'DELETE /users/@me/push-subscriptions/{id}', reach: 'own', at: { id: () => '1' } },
  { route: 'GET /exports/{user_id}', reach: 'open', ok: 'not_found', at: { user_id: () => '1' } },
  // Bots
  { route: 'POST /bots', reach: 'own', but: notForBots, body: () => ({ username: uniqueName('fresh'), name: 'Bot' }) },
  { route: 'GET /bots', reach: 'own' },
  { route: 'PATCH /bots/{id}', reach: 'own', when: 'the own', at: { id: ownBot }, body: { bio: 'x' } },
  { route: 'PATCH /bots/{id}', reach: 'own', when: "somebody else's", ok: 'bot_not_found', at: { id: foreignBot }, body: { bio: 'x' } },
  { route: 'POST /bots/{id}/token', reach: 'own', when: 'the own', at: { id: ownBot } },
  { route: 'POST /bots/{id}/token', reach: 'own', when: "somebody else's", ok: 'bot_not_found', at: { id: foreignBot } },
  { route: 'DELETE /bots/{id}', reach: 'own', when: 'the own', at: { id: ownBot } },
  { route: 'DELETE /bots/{id}', reach: 'own', when: "somebody else's", ok: 'bot_not_found', at: { id: foreignBot } },
  { route: 'POST /houses/{id}/bots', reach: 'house', needs: 'MANAGE_BOTS', body: publicBot },
  // Streams
  { route: 'GET /streams/@me/mentions', reach: 'own' },
  { route: 'GET /streams/@me/feed', reach: 'own' },
  // Private rooms
  { route: 'POST /users/@me/rooms', reach: 'person', when: 'one-to-one', but: { blocked: 'no_permission', blocker: 'no_permission', restricted: 'no_permission' }, body: ({ target }: Scene) => ({ recipient: target.id }) },
  { route: 'POST /users/@me/rooms', reach: 'person', when: 'a group', but: { blocked: 'no_permission', blocker: 'no_permission', restricted: 'no_permission' }, body: ({ target }: Scene) => ({ recipients: [target.id] }) },
  { route: 'DELETE /users/@me/rooms/{id}', reach: 'group', ok: 204, unseen: wrongType },
  { route: 'DELETE /users/@me/rooms/{id}', reach: 'pair', ok: wrongType, unseen: wrongType },
  { route: 'DELETE /users/@me/rooms/{id}', reach: 'room', ok: wrongType, unseen: wrongType },
  { route: 'GET /users/@me/rooms', reach: 'own' },
  { route: 'PUT /rooms/{id}/recipients/{user_id}', reach: 'group', when: 'somebody new', at: { user_id: newcomer } },
  { route: 'PUT /rooms/{id}/recipients/{user_id}', reach: 'pair', ok: wrongType },
  { route: 'PUT /rooms/{id}/recipients/{user_id}', reach: 'room', ok: wrongType },
  { route: 'DELETE /rooms/{id}/recipients/{user_id}', reach: 'group', needs: 'owner', when: 'somebody else' },
  { route: 'DELETE /rooms/{id}/recipients/{user_id}', reach: 'group', when: 'oneself', unseen: 'room_not_found', at: { user_id: (scene, caller) => (caller ?? scene.target).id } },
  { route: 'DELETE /rooms/{id}/recipients/{user_id}', reach: 'pair', ok: wrongType },
  { route: 'DELETE /rooms/{id}/recipients/{user_id}', reach: 'room', ok: wrongType },
  { route: 'POST /rooms/{id}/call', reach: 'room', ok: 'not_offered' },
  { route: 'POST /rooms/{id}/call', reach: 'pair', ok: 'not_offered' },
  { route: 'POST /rooms/{id}/call/decline', reach: 'room', ok: 'not_offered' },
  { route: 'POST /rooms/{id}/call/decline', reach: 'group', ok: 'not_offered' },
  // Relationships
  { route: 'DELETE /relationships/@me/friends/{id}', reach: 'person', ok: 'not_friends', but: { friend: 204 } },
  { route: 'GET /relationships/@me/friends', reach: 'own' },
  { route: 'GET /relationships/@me/friend-requests', reach: 'own' },
  { route: 'POST /relationships/@me/friend-requests', reach: 'person', but: { blocked: 'no_permission', blocker: 'no_permission', restricted: 'no_permission' }, body: ({ target }: Scene) => ({ user_id: target.id }) },
  { route: 'DELETE /relationships/@me/friend-requests/{user_id}', reach: 'person', when: 'who asked', at: { user_id: asker } },
  { route: 'DELETE /relationships/@me/friend-requests/{user_id}', reach: 'person', when: 'who did not ask', ok: 'friend_request_not_found' },
  { route: 'GET /relationships/@me/blocked', reach: 'own' },
  { route: 'GET /relationships/@me/restricted', reach: 'own' },
  { route: 'PUT /relationships/@me/blocked/{user_id}', reach: 'person' },
  { route: 'PUT /relationships/@me/restricted/{user_id}', reach: 'person' },
  { route: 'DELETE /relationships/@me/blocked/{user_id}', reach: 'person' },
  { route: 'DELETE /relationships/@me/restricted/{user_id}', reach: 'person' },
  { route: 'GET /relationships/{user_id}/mutual-friends', reach: 'person' },
  // Houses
  { route: 'POST /houses', reach: 'own', body: { name: 'Den' } },
  { route: 'PATCH /houses/{id}', reach: 'house', needs: 'ADMINISTRATOR', unseen: 'no_permission', body: { name: 'New' } },
  { route: 'DELETE /houses/{id}', reach: 'house', needs: 'owner', ok: 204, unseen: 'no_permission' },
  { route: 'DELETE /users/@me/houses/{id}', reach: 'house', ok: 204, unseen: 'out_of_scope' },
  { route: 'DELETE /houses/{id}/icon', reach: 'house', needs: 'ADMINISTRATOR' },
  { route: 'GET /houses/{id}', reach: 'house' },
  { route: 'GET /users/@me/houses', reach: 'own' },
  { route: 'GET /houses/{id}/rooms', reach: 'house' },
  { route: 'PATCH /houses/{id}/owner', reach: 'house', once: true, needs: 'owner', body: ({ target }: Scene) => ({ user_id: target.id }) },
  { route: 'GET /houses/{id}/retention', reach: 'house' },
  { route: 'PUT /houses/{id}/retention', reach: 'house', needs: 'owner', body: { max_age: 86_400 } },
  // Members, bans, roles
  { route: 'GET /houses/{id}/members', reach: 'house' },
  { route: 'GET /houses/{id}/members/{user_id}', reach: 'house' },
  { route: 'DELETE /houses/{id}/members/{user_id}', reach: 'house', needs: 'KICK_MEMBERS' },
  { route: 'DELETE /{house_id}/members/{user_id}', reach: 'house', needs: 'KICK_MEMBERS' },
  { route: 'GET /houses/{id}/bans', reach: 'house', needs: 'EVICT_MEMBERS' },
  { route: 'PUT /houses/{id}/bans/{user_id}', reach: 'house', needs: 'EVICT_MEMBERS', body: {} },
  { route: 'DELETE /houses/{id}/bans/{user_id}', reach: 'house', needs: 'EVICT_MEMBERS', at: { user_id: ({ people }) => people.banned!.id } },
  { route: 'GET /houses/{id}/roles', reach: 'house' },
  { route: 'POST /houses/{id}/roles', reach: 'house', needs: 'MANAGE_ROLES', body: { name: 'new' } },
  { route: 'PATCH /houses/{id}/roles/{role_id}', reach: 'house', needs: 'MANAGE_ROLES', body: { name: 'new' } },
  { route: 'DELETE /houses/{id}/roles/{role_id}', reach: 'house', needs: 'MANAGE_ROLES' },
  { route: 'PUT /houses/{id}/members/{user_id}/roles/{role_id}', reach: 'house', needs: 'MANAGE_ROLES', at: { role_id: newRole } },
  { route: 'DELETE /houses/{id}/members/{user_id}/roles/{role_id}', reach: 'house', needs: 'MANAGE_ROLES' },
  // Entities
  { route: 'POST /houses/{id}/entities', reach: 'house', needs: 'MANAGE_ROOMS', body: { name: 'new' } },
  { route: 'PATCH /houses/{id}/entities/{entity_id}', reach: 'house', needs: 'MANAGE_ROOMS', body: { name: 'new' } },
  { route: 'DELETE /houses/{id}/entities/{entity_id}', reach: 'house', needs: 'MANAGE_ROOMS' },
  // Rooms
  { route: 'POST /houses/{id}/rooms', reach: 'house', needs: 'MANAGE_ROOMS', body: { name: 'new' } },
  { route: 'GET /rooms/{id}', reach: 'room' },
  { route: 'GET /rooms/{id}', reach: 'group' },
  { route: 'GET /rooms/{id}', reach: 'pair' },
  { route: 'PATCH /rooms/{id}', reach: 'room', needs: 'MANAGE_ROOMS', body: { name: 'new' } },
  { route: 'PATCH /rooms/{id}', reach: 'group', body: { name: 'new' } },
  { route: 'PATCH /rooms/{id}', reach: 'pair', ok: wrongType, body: { description: 'new' } },
  { route: 'DELETE /houses/{id}/rooms/{room_id}', reach: 'house', needs: 'MANAGE_ROOMS' },
  { route: 'DELETE /rooms/{id}', reach: 'room', needs: 'MANAGE_ROOMS' },
  { route: 'DELETE /rooms/{id}', reach: 'group', ok: wrongType },
  { route: 'DELETE /rooms/{id}', reach: 'pair', ok: wrongType },
  { route: 'PATCH /rooms/{id}/default-permissions', reach: 'room', needs: 'MANAGE_ROOMS', body: { allow: SEND_MESSAGES, deny: 0 } },
  { route: 'PATCH /rooms/{id}/default-permissions', reach: 'group', ok: wrongType, body: { allow: SEND_MESSAGES, deny: 0 } },
  { route: 'PATCH /rooms/{id}/default-permissions', reach: 'pair', ok: wrongType, body: { allow: SEND_MESSAGES, deny: 0 } },
  { route: 'PUT /rooms/{id}/overrides/{target_id}', reach: 'room', when: "a role's", needs: 'MANAGE_ROOMS', at: { target_id: ({ ids }) => ids.role_id! }, body: { type: 0, allow: SEND_MESSAGES, deny: 0 } },
  { route: 'PUT /rooms/{id}/overrides/{target_id}', reach: 'room', when: "a member's", needs: 'MANAGE_USER_OVERRIDES', body: { type: 1, allow: SEND_MESSAGES, deny: 0 } },
  { route: 'PUT /rooms/{id}/overrides/{target_id}', reach: 'group', ok: wrongType, body: { type: 1, allow: SEND_MESSAGES, deny: 0 } },
  { route: 'DELETE /rooms/{id}/overrides/{target_id}', reach: 'room', when: "a role's", needs: 'MANAGE_ROOMS', at: { target_id: overridden(0) } },
  { route: 'DELETE /rooms/{id}/overrides/{target_id}', reach: 'room', when: "a member's", needs: 'MANAGE_USER_OVERRIDES', at: { target_id: overridden(1) } },
  { route: 'DELETE /rooms/{id}/overrides/{target_id}', reach: 'group', ok: wrongType },
  { route: 'POST /rooms/{id}/typing', reach: 'room', needs: 'SEND_MESSAGES' },
  { route: 'POST /rooms/{id}/typing', reach: 'group' },
  { route: 'POST /rooms/{id}/typing', reach: 'pair', but: { blocked: 'no_permission', blocker: 'no_permission' } },
  // Messages
  { route: 'POST /rooms/{id}/messages', reach: 'room', needs: 'SEND_MESSAGES', body: { content: 'x' } },
  { route: 'POST /rooms/{id}/messages', reach: 'group', body: { content: 'x' } },
  { route: 'POST /rooms/{id}/messages', reach: 'pair', but: { blocked: 'no_permission', blocker: 'no_permission' }, body: { content: 'x' } },
  { route: 'POST /rooms/{id}/media_messages', reach: 'room', when: 'to send', needs: 'SEND_MESSAGES', file: true },
  { route: 'POST /rooms/{id}/media_messages', reach: 'room', when: 'to attach', needs: 'ATTACH_MEDIA', file: true },
  { route: 'POST /rooms/{id}/media_messages', reach: 'pair', but: { blocked: 'no_permission', blocker: 'no_permission' }, file: true },
  { route: 'GET /rooms/{id}/messages', reach: 'room' },
  { route: 'GET /rooms/{id}/messages', reach: 'group' },
  { route: 'GET /rooms/{id}/messages', reach: 'pair' },
  { route: 'GET /rooms/{id}/messages/{message_id}', reach: 'room' },
  { route: 'GET /rooms/{id}/messages/{message_id}', reach: 'group' },
  { route: 'PATCH /rooms/{id}/messages/{message_id}', reach: 'room', when: 'the own', at: { message_id: ownMessage }, body: { content: 'x' } },
  { route: 'PATCH /rooms/{id}/messages/{message_id}', reach: 'room', when: "somebody else's", ok: 'no_permission', body: { content: 'x' } },
  { route: 'PATCH /rooms/{id}/messages/{message_id}', reach: 'group', when: 'the own', at: { message_id: ownMessage }, body: { content: 'x' } },
  { route: 'PATCH /rooms/{id}/messages/{message_id}', reach: 'group', when: "somebody else's", ok: 'no_permission', body: { content: 'x' } },
  { route: 'PATCH /rooms/{id}/messages/{message_id}', reach: 'pair', when: 'the own', but: { blocked: 'no_permission', blocker: 'no_permission' }, at: { message_id: ownPairMessage }, body: { content: 'x' } },
  { route: 'POST /rooms/{id}/messages/{message_id}', reach: 'room', when: 'the own, edited', at: { message_id: ownMessage }, body: { content: 'x' } },
  { route: 'POST /rooms/{id}/messages/{message_id}', reach: 'room', when: "somebody else's, edited", ok: 'no_permission', body: { content: 'x' } },
  { route: 'POST /rooms/{id}/messages/{message_id}', reach: 'pair', when: 'the own, edited', but: { blocked: 'no_permission', blocker: 'no_permission' }, at: { message_id: ownPairMessage }, body: { content: 'x' } },
  { route: 'POST /rooms/{id}/messages/{message_id}', reach: 'room', when: 'acked', body: {} },
  { route: 'DELETE /rooms/{id}/messages/{message_id}', reach: 'room', when: 'the own', at: { message_id: ownMessage } },
  { route: 'DELETE /rooms/{id}/messages/{message_id}', reach: 'room', when: "somebody else's", needs: 'MODERATE_ROOM' },
  { route: 'DELETE /rooms/{id}/messages/{message_id}', reach: 'group', when: "somebody else's", needs: 'owner' },
  { route: 'DELETE /houses/{house_id}/rooms/{id}/messages/{message_id}', reach: 'room', when: 'the own', at: { message_id: ownMessage } },
  { route: 'DELETE /houses/{house_id}/rooms/{id}/messages/{message_id}', reach: 'room', when: "somebody else's", needs: 'MODERATE_ROOM' },
  { route: 'POST /rooms/{id}/messages/{message_id}/ack', reach: 'room' },
  { route: 'POST /rooms/{id}/messages/{message_id}/ack', reach: 'group' },
  { route: 'PUT /rooms/{id}/messages/{message_id}/reactions/{emoji}', reach: 'room', needs: 'SEND_MESSAGES', at: { emoji } },
  { route: 'PUT /rooms/{id}/messages/{message_id}/reactions/{emoji}', reach: 'group', at: { emoji } },
  { route: 'PUT /rooms/{id}/messages/{message_id}/reactions/{emoji}', reach: 'pair', but: { blocked: 'no_permission', blocker: 'no_permission' }, at: { emoji, message_id: ownPairMessage } },
  { route: 'DELETE /rooms/{id}/messages/{message_id}/reactions/{emoji}', reach: 'room', needs: 'SEND_MESSAGES', at: { emoji } },
  { route: 'DELETE /rooms/{id}/messages/{message_id}/reactions/{emoji}', reach: 'group', at: { emoji } },
  { route: 'DELETE /rooms/{id}/messages/{message_id}/reactions/{emoji}', reach: 'pair', but: { blocked: 'no_permission', blocker: 'no_permission' }, at: { emoji, message_id: ownPairMessage } },
  { route: 'GET /rooms/{id}/messages/{message_id}/reactions/{emoji}', reach: 'room', at: { emoji } },
  { route: 'GET /rooms/{id}/messages/{message_id}/reactions/{emoji}', reach: 'group', at: { emoji } },
  { route: 'PUT /rooms/{id}/pins/{message_id}', reach: 'room', needs: 'MODERATE_ROOM' },
  { route: 'PUT /rooms/{id}/pins/{message_id}', reach: 'group' },
  { route: 'PUT /rooms/{id}/pins/{message_id}', reach: 'pair', at: { message_id: ownPairMessage } },
  { route: 'DELETE /rooms/{id}/pins/{message_id}', reach: 'room', needs: 'MODERATE_ROOM', at: { message_id: pinned } },
  { route: 'DELETE /rooms/{id}/pins/{message_id}', reach: 'group' },
  { route: 'DELETE /rooms/{id}/pins/{message_id}', reach: 'pair', at: { message_id: ownPairMessage } },
  { route: 'GET /rooms/{id}/pins', reach: 'room' },
  { route: 'GET /rooms/{id}/pins', reach: 'group' },
  { route: 'GET /rooms/{id}/pins', reach: 'pair' },
  { route: 'GET /rooms/{id}/messages/search', reach: 'room', query: '?q=x' },
  { route: 'GET /rooms/{id}/messages/search', reach: 'group', query: '?q=x' },
  { route: 'GET /houses/{id}/messages/search', reach: 'house', query: '?q=x' },
  // Invites
  { route: 'POST /houses/{id}/invites', reach: 'house', needs: 'CREATE_INVITES', body: {} },
  { route: 'GET /houses/{id}/invites', reach: 'house', needs: 'MANAGE_INVITES' },
  { route: 'GET /invites/{code}', reach: 'house', unseen: 200, but: { nobody: 200 } },
  { route: 'POST /invites/{code}', reach: 'house', once: true, unseen: 200, but: { banned: 'no_permission' } },
  { route: 'DELETE /invites/{code}', reach: 'house', when: 'the own', unseen: 'no_permission', at: { code: ({ den, people }, caller) => inviteBy(den!, caller && !isOutside(people, caller) ? caller : den!.owner) } },
  { route: 'DELETE /invites/{code}', reach: 'house', when: "somebody else's", needs: 'MANAGE_INVITES', unseen: 'no_permission' },
  // Webhooks
  { route: 'POST /houses/{id}/webhooks', reach: 'house', needs: 'MANAGE_INTEGRATIONS', body: ({ ids }: Scene) => ({ room_id: ids.room_id, name: 'hook' }) },
  { route: 'GET /houses/{id}/webhooks', reach: 'house', needs: 'MANAGE_INTEGRATIONS' },
  { route: 'PATCH /houses/{id}/webhooks/{webhook_id}', reach: 'house', needs: 'MANAGE_INTEGRATIONS', at: { webhook_id: newWebhook }, body: { name: 'new' } },
  { route: 'DELETE /houses/{id}/webhooks/{webhook_id}', reach: 'house', needs: 'MANAGE_INTEGRATIONS', at: { webhook_id: newWebhook } },
  { route: 'POST /houses/{id}/webhooks/{webhook_id}/token', reach: 'house', needs: 'MANAGE_INTEGRATIONS', at: { webhook_id: newWebhook } },
  { route: 'POST /webhooks/{webhook_id}/{token}', reach: 'open', when: 'with the token', at: executable, body: { content: 'x' } },
  { route: 'POST /webhooks/{webhook_id}/{token}', reach: 'open', when: 'with another token', ok: 'webhook_not_found', at: { ...executable, token: () => '0'.repeat(128) }, body: { content: 'x' } },
  // Audit log
  { route: 'GET /houses/{id}/audit-log', reach: 'house', needs: 'ADMINISTRATOR' },
  // Read state, settings, service
  { route: 'GET /users/@me/read-state', reach: 'own' },
  { route: 'GET /users/@me/settings', reach: 'own' },
  { route: 'PATCH /users/@me/settings', reach: 'own', body: { theme: 'dark' } },
  { route: 'PUT /users/@me/settings/room_overrides/{room_id}', reach: 'room', body: { notification_preference: 1 } },
  { route: 'PUT /users/@me/settings/room_overrides/{room_id}', reach: 'group', body: { notification_preference: 1 } },
  { route: 'GET /health', reach: 'open' },
  { route: 'GET /ready', reach: 'open' },
  { route: 'GET /server', reach: 'open' },
  // Administration
  { route: 'GET /admin/overview', reach: 'admin' },
  { route: 'GET /admin/users', reach: 'admin' },
  { route: 'GET /admin/users/{id}', reach: 'admin' },
  { route: 'PATCH /admin/users/{id}', reach: 'admin', when: 'somebody else', body: { disabled: true } },
  { route: 'PATCH /admin/users/{id}', reach: 'admin', when: 'oneself', ok: 'no_permission', at: { id: (scene, caller) => (caller ?? scene.target).id }, body: { disabled: true } },
  { route: 'DELETE /admin/users/{id}', reach: 'admin', when: 'somebody else' },
  { route: 'DELETE /admin/users/{id}', reach: 'admin', when: 'oneself', ok: 'no_permission', at: { id: (scene, caller) => (caller ?? scene.target).id } },
  { route: 'DELETE /admin/users/{id}/sessions', reach: 'admin', when: 'somebody else' },
  { route: 'DELETE /admin/users/{id}/sessions', reach: 'admin', when: 'oneself', ok: 'no_permission', at: { id: (scene, caller) => (caller ?? scene.target).id } },
  { route: 'GET /admin/houses', reach: 'admin' },
  { route: 'DELETE /admin/houses/{id}', reach: 'admin', at: { id: async ({ target }) => (await house({ owner: target })).id } },
  { route: 'GET /admin/audit-log', reach: 'admin' },
  // Media
  { route: 'GET /users/{id}/icons/{file}', reach: 'open', ok: 'not_found', at: { file: () => 'none.webp' } },
  { route: 'GET /users/{id}/headers/{file}', reach: 'open', ok: 'not_found', at: { file: () => 'none.webp' } },
  { route: 'GET /houses/{id}/icons/{file}', reach: 'open', ok: 'not_found', at: { file: () => 'none.webp' } },
  { route: 'GET /attachments/{room_id}/{message_id}/{filename}', reach: 'open', ok: 'not_found', at: { room_id: () => '1', message_id: () => '1', filename: () => 'none' } },
]

function isOutside(people: Scene['people'], caller: Person): boolean {
  return [people.stranger, people.left, people.banned].includes(caller)
}

const outsiders = ['stranger', 'left', 'banned', 'unreading']

/** What a row says to one caller. */
function expectedFor(row: Row, caller: string): Expected {
  const said = row.but?.[caller]
  if (said !== undefined) return said
  const { reach, needs, ok = 200 } = row
  if (reach === 'open' || reach === 'own' || reach === 'person') {
    return caller === 'nobody' && reach !== 'open' ? 'no_auth' : ok
  }
  if (reach === 'admin') return caller === 'admin' ? ok : 'not_found'
  if (caller === 'nobody') return 'no_auth'
  if (outsiders.includes(caller))
    return row.unseen ?? (reach === 'house' ? 'house_not_found' : 'room_not_found')
  if (needs === undefined || caller === 'owner') return ok
  if (needs === 'owner' || caller === 'lacking') return 'no_permission'
  return ok
}

/**
 * Every caller of a row with what they are answered: the refused first, so that they would be seen to have left a mark.
 */
export function casesOf(row: Row): [caller: string, expected: Expected][] {
  const cases = callersOf[row.reach].map((name): [string, Expected] => [name, expectedFor(row, name)])
  return [
    ...cases.filter(([, one]) => typeof one === 'string'),
    ...cases.filter(([, one]) => typeof one !== 'string'),
  ]
}
