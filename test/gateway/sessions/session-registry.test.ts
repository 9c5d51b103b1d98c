import { expect, test } from 'vitest'
import type { Caller } from '../../../src/auth/queries.ts'
import { allSessions } from '../../../src/gateway/delivery/audience.ts'
import { Session } from '../../../src/gateway/sessions/session.ts'
import { SessionRegistry } from '../../../src/gateway/sessions/session-registry.ts'

function sessionOf(userId: string): Session {
  const caller = { id: userId, session_id: `login of ${userId}` } as Caller
  return new Session({ caller, id: `session of ${userId}`, extended: false, connection: undefined as never })
}

function live(registry: SessionRegistry, userId: string): Session {
  const session = sessionOf(userId)
  registry.add(session)
  registry.enterHouse(session, 'house', new Set(['room']))
  registry.enterPrivateRoom(session, 'pair')
  registry.markReady(session)
  registry.watch(session, new Set(['star']), 10)
  return session
}

function everywhere(registry: SessionRegistry): Session[][] {
  return [
    registry.sessionsInHouse('house'),
    registry.sessionsInRoom('room'),
    registry.sessionsInRoom('pair'),
    registry.sessionsWatching('star'),
  ]
}

test('finds sessions by house, room, user and subscription, in order', () => {
  const registry = new SessionRegistry()
  const sessions: Session[] = []
  for (const userId of ['1', '2', '3', '4', '5', '6']) {
    sessions.push(live(registry, userId))
    for (const found of everywhere(registry)) expect(found).toEqual(sessions)
  }
  while (sessions.length > 0) {
    registry.remove(sessions.shift()!)
    for (const found of everywhere(registry)) expect(found).toEqual(sessions)
  }
})

test('does not index a session again after its end', () => {
  const registry = new SessionRegistry()
  const session = live(registry, '1')
  registry.remove(session)
  registry.enterHouse(session, 'house', new Set(['room']))
  registry.addRoom([session], 'house', 'room')
  registry.enterPrivateRoom(session, 'pair')
  registry.watch(session, new Set(['star']), 10)
  registry.markReady(session)
  for (const found of everywhere(registry)) expect(found).toEqual([])
  expect(registry.joining.size + registry.sessionsOfUser('1').length + registry.sessions.size).toBe(0)
})

test('a session that ends during its login becomes ready', async () => {
  const registry = new SessionRegistry()
  const session = sessionOf('1')
  registry.add(session)
  registry.bufferEventsOf(session)
  expect([...registry.joining]).toEqual([session])
  const { ready } = session
  registry.remove(session)
  await ready
  expect(registry.joining.size).toBe(0)
})

test('sessions with the same rooms share a set until one changes', () => {
  const registry = new SessionRegistry()
  const [one, other] = [sessionOf('1'), sessionOf('2')]
  for (const session of [one, other]) {
    registry.add(session)
    registry.enterHouse(session, 'house', new Set(['r1', 'r2']))
    registry.markReady(session)
  }
  expect(one.houses.get('house')).toBe(other.houses.get('house'))
  registry.removeRoom([one], 'house', 'r2')
  expect([[...one.houses.get('house')!], [...other.houses.get('house')!]]).toEqual([['r1'], ['r1', 'r2']])
  expect([registry.sessionsInRoom('r1').length, registry.sessionsInRoom('r2')]).toEqual([2, [other]])
  registry.addRoom([other], 'house', 'r3')
  registry.addRoom([one], 'house', 'r3')
  expect([registry.sessionsInRoom('r2'), registry.sessionsInRoom('r3').length]).toEqual([[other], 2])
  registry.addRoom([one], 'house', 'r2')
  expect(one.houses.get('house')).toBe(other.houses.get('house'))
  registry.leaveHouse(one, 'house')
  registry.remove(other)
  expect(['r1', 'r2', 'r3'].flatMap((room) => registry.sessionsInRoom(room))).toEqual([])
  expect(registry.sessionsInHouse('house')).toEqual([])
})

test('replaces all rooms of a house, except for a session that has ended', () => {
  const registry = new SessionRegistry()
  const [one, other, joining] = [live(registry, '1'), live(registry, '2'), sessionOf('3')]
  registry.add(joining)
  registry.enterHouse(joining, 'house', new Set(['room']))
  for (const session of [one, other, joining]) registry.setRooms(session, 'house', new Set(['r1', 'r2']))
  expect([...one.houses.get('house')!]).toEqual(['r1', 'r2'])
  expect(other.houses.get('house')).toBe(one.houses.get('house'))
  expect([
    registry.sessionsInRoom('room'),
    registry.sessionsInRoom('r1'),
    registry.sessionsInRoom('r2'),
  ]).toEqual([[], [one, other], [one, other]])
  registry.markReady(joining)
  expect(registry.sessionsInRoom('r1')).toEqual([one, other, joining])
  registry.remove(one)
  registry.setRooms(one, 'house', new Set(['r1']))
  expect(registry.sessionsInRoom('r1')).toEqual([other, joining])
  expect(one.houses.size).toBe(0)
})

test('adding or removing a room keeps sets shared', () => {
  const registry = new SessionRegistry()
  const sessions = ['1', '2', '3', '4'].map((userId) => live(registry, userId))
  for (const [n, session] of sessions.entries())
    registry.setRooms(session, 'house', new Set(n % 2 ? ['a', 'b'] : ['a']))
  registry.removeRoom(sessions, 'house', 'a')
  expect(sessions.map((session) => [...session.houses.get('house')!])).toEqual([[], ['b'], [], ['b']])
  registry.addRoom(sessions, 'house', 'a')
  expect(sessions.map((session) => session.houses.get('house')!.size)).toEqual([1, 2, 1, 2])
  expect(sessions[1]!.houses.get('house')).toBe(sessions[3]!.houses.get('house'))
  expect([registry.sessionsInRoom('a').length, registry.sessionsInRoom('b').length]).toEqual([4, 2])
})

test('a session that logs in is in no audience until it is ready', () => {
  const registry = new SessionRegistry()
  const other = live(registry, '1')
  const session = sessionOf('2')
  registry.add(session)
  registry.enterHouse(session, 'house', new Set(['room']))
  const audience = allSessions(registry, { event: { type: 'events_lost' }, position: 1 })
  expect([audience.sessionsInHouse('house'), audience.sessionsInRoom('room')]).toEqual([[other], [other]])
  expect(audience.sessionsOfUser('2')).toEqual([])
  registry.markReady(session)
  expect([audience.sessionsInRoom('room'), audience.sessionsOfUser('2')]).toEqual([
    [other, session],
    [session],
  ])
})
