import { expect, test } from 'vitest'
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

test('one, two and three sessions are found by what they know, in the order of coming', () => {
  const hub = new Hub()
  const sessions: Session[] = []
  for (const userId of ['1', '2', '3']) {
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
