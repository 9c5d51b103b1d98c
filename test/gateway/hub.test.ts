import { expect, test } from 'vitest'
import { everybody } from '../../src/gateway/audience.ts'
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

test('a session that ends during its login is not listed as waiting for anything', () => {
  const hub = new Hub()
  const session = sessionOf('1')
  hub.add(session)
  hub.awaitScope(session, 'house')
  expect(hub.awaiting(['house'])).toEqual(new Set([session]))
  hub.remove(session)
  expect(hub.awaiting(['house', '1'])).toEqual(new Set())
})

test('who comes back to a house has nothing to settle there from before', () => {
  const hub = new Hub()
  const session = live(hub, '1')
  session.unsettled = new Map([['house', new Set(['other'])]])
  hub.leaveHouse(session, 'house')
  hub.enterHouse(session, 'house', ['room'])
  expect(hub.leaveRoom(session, 'house', 'other')).toBe(false)
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

test('what was dispatched before the end of a login, and held for it, is not sent to it as to the others too', () => {
  const hub = new Hub()
  const other = live(hub, '1')
  const session = sessionOf('2')
  hub.add(session)
  hub.enterHouse(session, 'house', ['room'])
  const held = hub.nextTick()
  hub.goLive(session)
  const audience = everybody(hub, held)
  expect([audience.inHouse('house'), audience.inRoom('room')]).toEqual([[other], [other]])
  expect(audience.ofUser('2')).toEqual([])
  expect(everybody(hub, hub.nextTick()).inRoom('room')).toEqual([other, session])
})

test('a session for which more happens than is held during its login cannot be resumed', () => {
  const session = sessionOf('1')
  session.isTold = true
  for (let count = 0; count < 20_000; count += 1) session.hold(() => {})
  expect(session.isTold).toBe(true)
  session.hold(() => {})
  expect([session.isTold, session.held!.length]).toEqual([false, 20_000])
})
