import { hashPassword } from '../../../src/auth/passwords.ts'
import { newToken } from '../../../src/auth/tokens.ts'
import { addPerson, ask, type Person } from '../support/people.ts'
import type { Stage } from '../support/stage.ts'

/** Who and what a batch of requests may meet: ids by the names that stand for them, and the tokens of the callers. */
export type Scene = {
  names: Record<string, string>
  tokens: { member: string; owner: string; faulty: string }
}

let passwordHash: Promise<string> | undefined

/** Makes a house, private rooms and people around them, of which no other scene knows. */
export async function makeScene(stage: Stage, origin: string): Promise<Scene> {
  passwordHash ??= hashPassword('correct horse', { address: '' })
  const password_hash = await passwordHash
  const [owner, member, friend, stranger, banned] = (await Promise.all(
    Array.from({ length: 5 }, () => addPerson(stage.db, { password_hash })),
  )) as [Person, Person, Person, Person, Person]
  const as = (person: Person) => (method: string, path: string, body?: unknown) =>
    ask(origin, person.token, method, path, body)
  const [byOwner, byMember, byFriend, byStranger] = [as(owner), as(member), as(friend), as(stranger)] as const

  const house = await byOwner('POST', '/houses', { name: 'Den' })
  const room = house.rooms[0].id
  const [invite, role, { entities }, foreign, bot] = await Promise.all([
    byOwner('POST', `/houses/${house.id}/invites`, {}),
    byOwner('POST', `/houses/${house.id}/roles`, { name: 'Guard', allow: 1 }),
    byOwner('POST', `/houses/${house.id}/entities`, { name: 'More' }),
    byStranger('POST', '/houses', { name: 'Elsewhere' }),
    byOwner('POST', '/bots', { username: `bot.${owner.username}`, name: 'Bot' }),
    byOwner('PUT', `/houses/${house.id}/bans/${banned.id}`, {}),
    byOwner('POST', '/relationships/@me/friend-requests', { user_id: friend.id }),
    byMember('POST', '/relationships/@me/friend-requests', { user_id: friend.id }),
  ])
  await byFriend('POST', '/relationships/@me/friend-requests', { user_id: owner.id })
  await byMember('POST', `/invites/${invite.code}`)
  const [group, pair, message, foreignMessage] = await Promise.all([
    byOwner('POST', '/users/@me/rooms', { recipients: [member.id, friend.id] }),
    byOwner('POST', '/users/@me/rooms', { recipient: member.id }),
    byOwner('POST', `/rooms/${room}/messages`, { content: `hello <@${member.id}>` }),
    byStranger('POST', `/rooms/${foreign.rooms[0].id}/messages`, { content: 'elsewhere' }),
    byOwner('PUT', `/houses/${house.id}/members/${member.id}/roles/${role.id}`),
  ])
  return {
    names: {
      house: house.id,
      foreign_house: foreign.id,
      room,
      foreign_room: foreign.rooms[0].id,
      group: group.id,
      pair: pair.id,
      message: message.id,
      foreign_message: foreignMessage.id,
      entity: entities[0].id,
      role: role.id,
      bot: bot.user.id,
      invite: invite.code,
      owner: owner.id,
      member: member.id,
      friend: friend.id,
      stranger: stranger.id,
      banned: banned.id,
      username: member.username,
      session: owner.session_id,
      icon: `${'a'.repeat(40)}.webp`,
    },
    tokens: { owner: owner.token, member: member.token, faulty: newToken() },
  }
}
