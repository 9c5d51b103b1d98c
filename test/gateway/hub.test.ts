import { expect, test } from 'vitest'
import { payload } from '../../src/gateway/frames.ts'
import { Hub } from '../../src/gateway/hub.ts'
import { Session } from '../../src/gateway/session.ts'

function sessionOf(userId: string): Session {
  const caller = { id: userId, session_id: `login of ${userId}` } as ConstructorParameters<typeof Session>[0]
  return new Session(caller, false, undefined as never)
}

function live(hub: Hub, userId: string): Session {
  const session = sessionOf(userId)
  hub.add(session)
  hub.enterHouse(session, 'house', ['room'])
  hub.enterRoom(session, null, 'pair')
  hub.goLive(session)
  hub.watch(session, new Set(['star']))
  return session
}

function everywhere(hub: Hub): Session[][] {
  return [hub.inHouse('house'), hub.inRoom('room'), hub.inRoom('pair'), hub.watching('star')]
}

test('one, a few and many sessions are found by what they know, in the order of coming', () => {
  const hub = new Hub()
  const sessions: Session[] = []
  for (const userId of ['1', '2', '3', '4', '5', '6']) {
    sessions.push(live(hub, userId))
    for (const found of everywhere(hub)) expect(found).toEqual(sessions)
  }
  while (sessions.length > 0) {
    hub.remove(sessions.shift()!)
    for (const found of everywhere(hub)) expect(found).toEqual(sessions)
  }
})

test('what began before a session ended does not list it again', () => {
  const hub = new Hub()
  const session = live(hub, '1')
  hub.remove(session)
  hub.enterHouse(session, 'house', ['room'])
  hub.enterRoom(session, 'house', 'room')
  hub.enterRoom(session, null, 'pair')
  hub.watch(session, new Set(['star']))
  hub.awaitScope(session, 'house')
  for (const found of everywhere(hub)) expect(found).toEqual([])
  expect(hub.awaiting(['house', '1']).size + hub.ofUser('1').length + hub.sessions.size).toBe(0)
})

test('sessions that see the same of a house share it, until one of them sees more or less', () => {
  const hub = new Hub()
  const [one, other] = [sessionOf('1'), sessionOf('2')]
  for (const session of [one, other]) {
    hub.add(session)
    hub.enterHouse(session, 'house', ['r1', 'r2'])
    hub.goLive(session)
  }
  expect(one.houses.get('house')).toBe(other.houses.get('house'))
  expect(hub.leaveRoom(one, 'house', 'r2')).toBe(true)
  expect(hub.leaveRoom(one, 'house', 'r2')).toBe(false)
  expect([[...one.houses.get('house')!], [...other.houses.get('house')!]]).toEqual([['r1'], ['r1', 'r2']])
  expect([hub.inRoom('r1').length, hub.inRoom('r2')]).toEqual([2, [other]])
  hub.enterRoom(other, 'house', 'r3')
  hub.enterRoom(one, 'house', 'r3')
  expect([hub.inRoom('r2'), hub.inRoom('r3').length]).toEqual([[other], 2])
  hub.enterRoom(one, 'house', 'r2')
  expect(one.houses.get('house')).toBe(other.houses.get('house'))
  hub.leaveHouse(one, 'house')
  hub.remove(other)
  expect(['r1', 'r2', 'r3'].flatMap((room) => hub.inRoom(room))).toEqual([])
  expect(hub.inHouse('house')).toEqual([])
})

test('all rooms of a house are exchanged at once, in a login as well, and never for a session that ended', () => {
  const hub = new Hub()
  const [one, other, held] = [live(hub, '1'), live(hub, '2'), sessionOf('3')]
  hub.add(held)
  hub.enterHouse(held, 'house', ['room'])
  other.unsettled = new Map([['house', new Set(['room'])]])
  for (const session of [one, other, held]) hub.setRooms(session, 'house', ['r1', 'r2'])
  expect([...one.houses.get('house')!]).toEqual(['r1', 'r2'])
  expect(other.houses.get('house')).toBe(one.houses.get('house'))
  expect([hub.inRoom('room'), hub.inRoom('r1'), hub.inRoom('r2')]).toEqual([[], [one, other], [one, other]])
  expect(other.unsettled.size).toBe(0)
  hub.goLive(held)
  expect(hub.inRoom('r1')).toEqual([one, other, held])
  hub.remove(one)
  hub.setRooms(one, 'house', ['r1'])
  expect(hub.inRoom('r1')).toEqual([other, held])
  expect(one.houses.size).toBe(0)
})

test('a room more or less is the same for all who saw the same, whoever is told in between', () => {
  const hub = new Hub()
  const sessions = ['1', '2', '3', '4'].map((userId) => live(hub, userId))
  for (const [n, session] of sessions.entries()) hub.setRooms(session, 'house', n % 2 ? ['a', 'b'] : ['a'])
  for (const session of sessions) hub.leaveRoom(session, 'house', 'a')
  expect(sessions.map((session) => [...session.houses.get('house')!])).toEqual([[], ['b'], [], ['b']])
  for (const session of sessions) hub.enterRoom(session, 'house', 'a')
  expect(sessions.map((session) => session.houses.get('house')!.size)).toEqual([1, 2, 1, 2])
  expect(sessions[1]!.houses.get('house')).toBe(sessions[3]!.houses.get('house'))
  expect([hub.inRoom('a').length, hub.inRoom('b').length]).toEqual([4, 2])
})

test('a session that ended keeps nothing for a replay, also of what is still being told', () => {
  const hub = new Hub()
  const session = live(hub, '1')
  const [before, after] = [payload('TYPING_START', { n: 1 }), payload('TYPING_START', { n: 2 })]
  session.emit(before)
  expect(before.keepers).toBe(1)
  hub.remove(session)
  session.emit(after)
  expect([before.keepers, after.keepers, session.kept.length]).toEqual([0, undefined, 0])
})
