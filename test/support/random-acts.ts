import type { Model } from './gateway-model.ts'
import type { Random } from './random.ts'
import { call, type Person } from './world.ts'

/** Random things that people do among each other. */
export function randomActs(random: Random, people: readonly Person[], mayBlock: (person: Person) => boolean) {
  const { pick, weighted } = random
  const invites: string[] = []
  const messages: { room_id: string; id: string }[] = []

  /** One random request of a user about known resources; it may be refused. */
  async function act(person: Person, known: Model['known']): Promise<void> {
    const { houses, rooms, privateRooms, roles } = known
    const other = pick(people)!
    const [house, room, role] = [pick(houses) ?? '0', pick(rooms) ?? '0', pick(roles) ?? '0']
    const message = pick(messages)
    const doing: [number, () => unknown][] = [
      [2, () => call(person, 'POST', '/houses', { name: `house ${Math.floor(random.number() * 1000)}` })],
      [2, () => call(person, 'PATCH', `/houses/${house}`, { name: 'renamed' })],
      [
        2,
        () =>
          call(person, 'PATCH', `/houses/${house}`, {
            name: 'x',
            default_permissions: pick([176195, 176193])!,
          }),
      ],
      [6, () => invite(person, house)],
      [8, () => call(person, 'POST', `/invites/${pick(invites) ?? 'none'}`)],
      [2, () => call(person, 'DELETE', `/users/@me/houses/${house}`)],
      [0.3, () => call(person, 'DELETE', `/houses/${house}`)],
      [1, () => call(person, 'PATCH', `/houses/${house}/owner`, { user_id: other.id })],
      [2, () => call(person, 'DELETE', `/houses/${house}/members/${other.id}`)],
      [0.5, () => call(person, 'PUT', `/houses/${house}/bans/${other.id}`, {})],
      [0.5, () => call(person, 'DELETE', `/houses/${house}/bans/${other.id}`)],
      [
        3,
        () => call(person, 'POST', `/houses/${house}/roles`, { name: 'r', position: 2, deny: pick([0, 2])! }),
      ],
      [2, () => call(person, 'PATCH', `/houses/${house}/roles/${role}`, { allow: pick([0, 2])!, deny: 0 })],
      [1, () => call(person, 'DELETE', `/houses/${house}/roles/${role}`)],
      [4, () => call(person, 'PUT', `/houses/${house}/members/${other.id}/roles/${role}`)],
      [2, () => call(person, 'DELETE', `/houses/${house}/members/${other.id}/roles/${role}`)],
      [3, () => call(person, 'POST', `/houses/${house}/rooms`, { name: 'a room' })],
      [
        2,
        () =>
          call(person, 'PATCH', `/rooms/${room}`, {
            description: `about ${Math.floor(random.number() * 9)}`,
          }),
      ],
      [1, () => call(person, 'DELETE', `/rooms/${room}`)],
      [
        2,
        () => call(person, 'PATCH', `/rooms/${room}/default-permissions`, { allow: 0, deny: pick([0, 2])! }),
      ],
      [2, () => call(person, 'PUT', `/rooms/${room}/overrides/${other.id}`, { type: 1, allow: 0, deny: 2 })],
      [2, () => call(person, 'PUT', `/rooms/${room}/overrides/${role}`, { type: 0, allow: 2, deny: 0 })],
      [2, () => call(person, 'DELETE', `/rooms/${room}/overrides/${other.id}`)],
      [1, () => call(person, 'POST', `/houses/${house}/entities`, { name: 'more' })],
      [10, () => send(person, room, other)],
      [2, () => message && send(person, message.room_id, other, message.id)],
      [
        2,
        () =>
          message &&
          call(person, 'PATCH', `/rooms/${message.room_id}/messages/${message.id}`, {
            content: pick(['edited', `now <@${other.id}>`])!,
          }),
      ],
      [2, () => message && call(person, 'DELETE', `/rooms/${message.room_id}/messages/${message.id}`)],
      [6, () => message && call(person, 'POST', `/rooms/${message.room_id}/messages/${message.id}/ack`)],
      [3, () => message && call(person, pick(['PUT', 'DELETE'])!, reactionTo(message, pick(['👍', '🎉'])!))],
      [
        1,
        () =>
          message && call(person, pick(['PUT', 'DELETE'])!, `/rooms/${message.room_id}/pins/${message.id}`),
      ],
      [1, () => call(person, 'POST', `/rooms/${room}/typing`)],
      [3, () => call(person, 'POST', '/users/@me/rooms', { recipient: other.id })],
      [2, () => call(person, 'POST', '/users/@me/rooms', { recipients: [other.id, pick(people)!.id] })],
      [2, () => call(person, 'DELETE', `/users/@me/rooms/${pick(privateRooms) ?? '0'}`)],
      [2, () => call(person, 'PUT', `/rooms/${pick(privateRooms) ?? '0'}/recipients/${other.id}`)],
      [1, () => call(person, 'DELETE', `/rooms/${pick(privateRooms) ?? '0'}/recipients/${other.id}`)],
      [3, () => call(person, 'POST', '/relationships/@me/friend-requests', { user_id: other.id })],
      [1, () => call(person, 'DELETE', `/relationships/@me/friend-requests/${other.id}`)],
      [1, () => call(person, 'DELETE', `/relationships/@me/friends/${other.id}`)],
      [0.5, () => mayBlock(person) && call(person, 'PUT', `/relationships/@me/blocked/${other.id}`)],
      [1, () => call(person, 'PUT', `/relationships/@me/restricted/${other.id}`)],
      [2, () => call(person, 'DELETE', `/relationships/@me/blocked/${other.id}`)],
      [2, () => call(person, 'DELETE', `/relationships/@me/restricted/${other.id}`)],
      [2, () => call(person, 'PATCH', '/users/@me', { bio: `bio ${Math.floor(random.number() * 100)}` })],
      [1, () => call(person, 'PATCH', '/users/@me/settings', { onboarded: random.number() < 0.5 })],
    ]
    await weighted(doing)()
  }

  async function invite(person: Person, house: string): Promise<void> {
    const answer = await call(person, 'POST', `/houses/${house}/invites`, {})
    if (answer.status === 200) invites.push(answer.body.data.code)
  }

  async function send(person: Person, room: string, other: Person, reply_to_id?: string): Promise<void> {
    const content = `hello <@${other.id}>`
    const answer = await call(person, 'POST', `/rooms/${room}/messages`, { content, reply_to_id })
    if (answer.status === 200) messages.push({ room_id: room, id: answer.body.data.id })
  }

  return act
}

function reactionTo(message: { room_id: string; id: string }, emoji: string): string {
  return `/rooms/${message.room_id}/messages/${message.id}/reactions/${encodeURIComponent(emoji)}`
}
