import { once } from 'node:events'
import { expect } from 'vitest'
import { issueCode } from '../../src/accounts/codes/operations.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { password } from './accounts.ts'
import { type EventRow, gone, type ReceivedEvents, self, to } from './event-row.ts'
import { type Column, connect, drainReceived, type EventScene } from './event-scene.ts'
import { resume } from './gateway.ts'
import { block, call, db, type Person } from './world.ts'

const relation = 'RELATIONSHIP_UPDATE'
const requests = '/relationships/@me/friend-requests'
const ask = (from: Person, other: Person) => call(from, 'POST', requests, { user_id: other.id })

async function goOffline({ people, clients }: EventScene) {
  await Promise.all([clients.caller.close(), clients.again.close()])
  await gone(people.caller)
}

const ask6 = (scene: EventScene, ...names: Column[]) =>
  request(scene, names, { op: 6, d: { user_ids: [scene.people.caller.id] } })
const ask7 = (scene: EventScene, ...names: Column[]) =>
  request(scene, names, { op: 7, d: { house_id: scene.den.id, user_ids: [] } })

/** Sends a frame, and settles when it has been dealt with, answered or not. */
async function request({ app, people, clients }: EventScene, names: Column[], frame: object): Promise<void> {
  for (const name of names) {
    const { socket } = clients[name]
    clients[name].send(frame)
    socket.ping()
    await once(socket, 'pong')
    await Promise.all(app.gateway.registry.sessionsOfUser(people[name].id).map((session) => session.requests))
  }
}

/** A user goes offline: friends and partners except the blocked, then the houses. */
const wentOffline: ReceivedEvents = {
  ...to('friend', 'partner')('PRESENCE_UPDATE'),
  ...to('member', 'unreading', 'blocked')('HOUSE_MEMBER_EXIT'),
}

/** Of docs/gateway.md, from frames to resuming. */
export const others: EventRow[] = [
  {
    action: 'log in',
    before: goOffline,
    act: (scene) => connect(scene, 'caller', 'again'),
    received: {
      ...self('INIT_STATE', 'HOUSE_JOIN'),
      ...to('friend', 'partner')('PRESENCE_UPDATE'),
      ...to('member', 'unreading', 'blocked')('HOUSE_MEMBER_ENTER'),
    },
  },
  { action: 'go offline', act: goOffline, received: wentOffline },
  {
    action: 'close one socket of two',
    act: ({ clients }) => clients.again.close(),
  },
  {
    action: 'resume',
    before: async (scene) => {
      // Pending events would be replayed, and presences that changed since the last position sent again.
      await call(scene.people.caller, 'PATCH', '/users/@me', { bio: 'back soon' })
      await scene.clients.again.next('USER_UPDATE')
      await drainReceived(scene)
      await scene.clients.again.cut()
    },
    act: async ({ app, people, clients }) => {
      const [first, last] = [clients.again.events[0]!, clients.again.events.at(-1)!]
      clients.again = resume(app, people.caller, first.d.session_id, last.seq!)
      await clients.again.next('RESUMED')
    },
    received: to('again')('RESUMED'),
  },
  {
    action: 'op 6 by somebody of the house',
    act: (scene) => ask6(scene, 'member'),
    received: to('member')('PRESENCE_UPDATE'),
  },
  {
    action: 'op 6 by those who share nothing, or are blocked',
    act: (scene) => ask6(scene, 'stranger', 'blocked', 'left', 'banned'),
  },
  {
    action: 'op 7 by a member',
    act: (scene) => ask7(scene, 'unreading'),
    received: to('unreading')('HOUSE_MEMBERS_CHUNK'),
  },
  {
    action: 'op 7 by those who are no members',
    act: (scene) => ask7(scene, 'stranger', 'friend', 'left', 'banned', 'partner'),
  },
]

/** docs/gateway.md#relationships. */
export const relations: EventRow[] = [
  {
    action: 'ask a stranger for friendship',
    request: ({ people }) => ['POST', requests, { user_id: people.stranger.id }],
    received: { ...self(relation), ...to('stranger')(relation) },
  },
  {
    action: 'ask back who asked before',
    before: ({ people }) => ask(people.stranger, people.caller),
    request: ({ people }) => ['POST', requests, { user_id: people.stranger.id }],
    received: { ...self(relation), ...to('stranger')(relation) },
  },
  {
    action: 'ask a friend',
    request: ({ people }) => ['POST', requests, { user_id: people.friend.id }],
  },
  {
    action: 'ask who has blocked one',
    by: 'blocked',
    request: ({ people }) => ['POST', requests, { user_id: people.caller.id }],
    refused: true,
  },
  {
    action: 'withdraw a request',
    before: ({ people }) => ask(people.caller, people.stranger),
    request: ({ people }) => ['DELETE', `${requests}/${people.stranger.id}`],
    received: { ...self(relation), ...to('stranger')(relation) },
  },
  {
    action: 'unfriend',
    request: ({ people }) => ['DELETE', `/relationships/@me/friends/${people.friend.id}`],
    received: { ...self(relation), ...to('friend')(relation) },
  },
  {
    action: 'block a friend',
    request: ({ people }) => ['PUT', `/relationships/@me/blocked/${people.friend.id}`],
    received: { ...self(relation), ...to('friend')(relation) },
  },
  {
    action: 'block a stranger',
    request: ({ people }) => ['PUT', `/relationships/@me/blocked/${people.stranger.id}`],
    received: self(relation),
  },
  {
    action: 'restrict a friend',
    request: ({ people }) => ['PUT', `/relationships/@me/restricted/${people.friend.id}`],
    received: { ...self(relation), ...to('friend')(relation) },
  },
  {
    action: 'lift a block',
    request: ({ people }) => ['DELETE', `/relationships/@me/blocked/${people.blocked.id}`],
    received: self(relation),
  },
  {
    action: 'lift a restriction',
    before: ({ people }) => block(people.caller, people.stranger, 4),
    request: ({ people }) => ['DELETE', `/relationships/@me/restricted/${people.stranger.id}`],
    received: self(relation),
  },
]

/** Of docs/gateway.md#messages-and-accounts. */
export const accounts: EventRow[] = [
  {
    action: 'edit the profile',
    request: () => ['PATCH', '/users/@me', { bio: 'x' }],
    received: {
      ...self('USER_UPDATE', 'HOUSE_MEMBER_UPDATE'),
      ...to('blocked')('USER_UPDATE', 'HOUSE_MEMBER_UPDATE'),
      ...to('friend', 'partner')('USER_UPDATE'),
      ...to('member', 'unreading')('HOUSE_MEMBER_UPDATE'),
    },
  },
  { action: 'edit nothing of the profile', request: () => ['PATCH', '/users/@me', { bio: '' }] },
  {
    action: 'prove the e-mail address',
    request: async ({ people }) => {
      const { code } = await issueCode(
        db,
        people.caller.id,
        'verify_email',
        `${people.caller.username}@example.org`,
      )
      return ['POST', '/auth/verify-email', { code }]
    },
    received: self('USER_UPDATE'),
  },
  {
    action: 'change the settings',
    request: () => ['PATCH', '/users/@me/settings', { onboarded: true }],
    received: to('again')('SETTINGS_UPDATE'),
  },
  {
    action: 'set how a room notifies',
    request: ({ den }) => [
      'PUT',
      `/users/@me/settings/room_overrides/${den.room_id}`,
      { notification_preference: 1 },
    ],
    received: to('again')('SETTINGS_UPDATE'),
  },
  {
    action: 'log out',
    act: async ({ people, clients }) => {
      await call(people.caller, 'POST', '/auth/logout')
      await Promise.all([clients.caller.end(), clients.again.end()])
      await gone(people.caller)
    },
    received: wentOffline,
  },
  {
    action: 'delete the account',
    before: async ({ people }) => {
      const password_hash = await hashPassword(password, people.caller)
      await db.updateTable('users').set({ password_hash }).where('id', '=', people.caller.id).execute()
    },
    act: async ({ people, clients }) => {
      const answer = await call(people.caller, 'DELETE', '/users/@me', { password })
      expect(answer.status).toBe(200)
      await Promise.all([clients.caller.end(), clients.again.end(), clients.bot.end()])
    },
    received: {
      ...to('friend')(relation),
      ...to('partner')('PRESENCE_UPDATE', 'ROOM_UPDATE'),
      ...to('member', 'unreading')('HOUSE_MEMBER_LEAVE', 'HOUSE_UPDATE'),
      ...to('blocked')('ROOM_UPDATE', 'HOUSE_MEMBER_LEAVE', 'HOUSE_UPDATE'),
    },
    anyOrder: true,
  },
]
