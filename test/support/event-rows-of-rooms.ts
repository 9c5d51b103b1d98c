import { type EventRow, inGroup, inPair, ofRoom, readers, self, to } from './event-row.ts'
import type { EventScene } from './event-scene.ts'
import { webhook } from './webhooks.ts'
import { call, message } from './world.ts'

async function expireMessage({ den, people, clients }: EventScene) {
  clients.caller.takeAll()
  await message(den.room_id, people.caller, { expires_at: new Date() })
  await clients.caller.next('MESSAGE_DELETE')
}

/** docs/gateway.md#private-rooms. */
export const privateRooms: EventRow[] = [
  {
    action: 'open a pair with a friend',
    request: ({ people }) => ['POST', '/users/@me/rooms', { recipient: people.friend.id }],
    received: { ...self('ROOM_CREATE'), ...to('friend')('ROOM_CREATE') },
  },
  {
    action: 'open a pair that is there',
    request: ({ people }) => ['POST', '/users/@me/rooms', { recipient: people.partner.id }],
  },
  {
    action: 'open a group',
    request: ({ people }) => [
      'POST',
      '/users/@me/rooms',
      { recipients: [people.friend.id, people.partner.id] },
    ],
    received: { ...self('ROOM_CREATE'), ...to('friend', 'partner')('ROOM_CREATE') },
  },
  {
    action: 'add to a group',
    request: ({ group, people }) => ['PUT', `/rooms/${group}/recipients/${people.friend.id}`],
    received: { ...inGroup('ROOM_UPDATE'), ...to('friend')('ROOM_CREATE') },
  },
  {
    action: 'rename a group',
    by: 'partner',
    request: ({ group }) => ['PATCH', `/rooms/${group}`, { name: 'trio' }],
    received: inGroup('ROOM_UPDATE'),
  },
  {
    action: 'leave a group as its owner',
    request: ({ group }) => ['DELETE', `/users/@me/rooms/${group}`],
    received: { ...self('ROOM_DELETE'), ...to('partner', 'blocked')('ROOM_UPDATE') },
  },
  {
    action: 'remove from a group',
    request: ({ group, people }) => ['DELETE', `/rooms/${group}/recipients/${people.partner.id}`],
    received: { ...self('ROOM_UPDATE'), ...to('blocked')('ROOM_UPDATE'), ...to('partner')('ROOM_DELETE') },
  },
  {
    action: 'leave a group as the last one',
    before: async ({ group, people }) => {
      for (const name of ['partner', 'blocked'] as const)
        await call(people[name], 'DELETE', `/users/@me/rooms/${group}`)
    },
    request: ({ group }) => ['DELETE', `/users/@me/rooms/${group}`],
    received: self('ROOM_DELETE'),
  },
]

const thumb = encodeURIComponent('👍')

/** The same in each kind of room. */
const places = [
  { place: 'house', all: readers, roomOf: (scene: EventScene) => scene.den.room_id },
  { place: 'pair', all: inPair, roomOf: (scene: EventScene) => scene.pair },
  { place: 'group', all: inGroup, roomOf: (scene: EventScene) => scene.group },
] as const

const inPlaces: EventRow[] = places.flatMap(({ place, all, roomOf }): EventRow[] => {
  const path = (scene: EventScene) => `/rooms/${roomOf(scene)}/messages/${scene.messages[place]}`
  return [
    {
      action: `send (${place})`,
      request: (scene) => [
        'POST',
        `/rooms/${roomOf(scene)}/messages`,
        { content: `<@${scene.people.partner.id}>` },
      ],
      received: all('MESSAGE_CREATE'),
    },
    {
      action: `send by another (${place})`,
      by: place === 'house' ? 'blocked' : 'partner',
      request: (scene) => [
        'POST',
        `/rooms/${roomOf(scene)}/messages`,
        { content: `<@${scene.people.caller.id}>` },
      ],
      received: all('MESSAGE_CREATE'),
    },
    {
      action: `send by a stranger (${place})`,
      by: 'stranger',
      request: (scene) => ['POST', `/rooms/${roomOf(scene)}/messages`, { content: 'x' }],
      refused: true,
    },
    {
      action: `edit (${place})`,
      request: (scene) => ['PATCH', path(scene), { content: 'x' }],
      received: all('MESSAGE_UPDATE'),
    },
    {
      action: `delete (${place})`,
      request: (scene) => ['DELETE', path(scene)],
      received: all('MESSAGE_DELETE'),
    },
    {
      action: `react (${place})`,
      request: (scene) => ['PUT', `${path(scene)}/reactions/${thumb}`],
      received: to('again')('REACTION_UPDATE'),
    },
    {
      action: `react again (${place})`,
      before: (scene) => call(scene.people.caller, 'PUT', `${path(scene)}/reactions/${thumb}`),
      request: (scene) => ['PUT', `${path(scene)}/reactions/${thumb}`],
    },
    {
      action: `remove a reaction (${place})`,
      before: (scene) => call(scene.people.caller, 'PUT', `${path(scene)}/reactions/${thumb}`),
      request: (scene) => ['DELETE', `${path(scene)}/reactions/${thumb}`],
      received: to('again')('REACTION_UPDATE'),
    },
    {
      action: `pin (${place})`,
      request: (scene) => ['PUT', `/rooms/${roomOf(scene)}/pins/${scene.messages[place]}`],
      received: to('again')('PIN_UPDATE'),
    },
    {
      action: `unpin what is not pinned (${place})`,
      request: (scene) => ['DELETE', `/rooms/${roomOf(scene)}/pins/${scene.messages[place]}`],
    },
    {
      action: `ack (${place})`,
      request: (scene) => ['POST', `${path(scene)}/ack`],
      received: to('again')('READ_STATE_UPDATE'),
    },
    {
      action: `type (${place})`,
      request: (scene) => ['POST', `/rooms/${roomOf(scene)}/typing`],
      received: all('TYPING_START'),
    },
  ]
})
const elsewhere: EventRow[] = [
  {
    action: 'send as a webhook',
    request: async ({ den, people }) => {
      return ['POST', (await webhook(den)).path, { content: `<@${people.member.id}>` }]
    },
    received: readers('MESSAGE_CREATE'),
  },
  { action: 'a message explodes', act: expireMessage, received: readers('MESSAGE_DELETE') },
  {
    action: 'send where one cannot read',
    by: 'unreading',
    request: (scene) => ['POST', ofRoom(scene, '/messages'), { content: 'x' }],
    refused: true,
  },
]

/** Of docs/gateway.md#messages-and-accounts. */
export const messages: EventRow[] = [...inPlaces, ...elsewhere].map((row) => ({ ...row, keepsScene: true }))
