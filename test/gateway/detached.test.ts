import { expect, test } from 'vitest'
import { Detached, type DetachedBounds } from '../../src/gateway/detached.ts'
import type { Payload } from '../../src/gateway/frames.ts'
import { Session } from '../../src/gateway/session.ts'

const bounds: DetachedBounds = {
  resumableForMs: 1_000,
  maxDetachedPerUser: 2,
  maxDetached: 3,
  maxDetachedBytes: 1_000,
}

function detachedSessions(count: number): { detached: Detached; sessions: Session[] } {
  const detached = new Detached()
  const caller = { id: '1', session_id: '2' } as ConstructorParameters<typeof Session>[0]
  const sessions = Array.from({ length: count }, () => new Session(caller, false, undefined as never))
  for (const [place, session] of sessions.entries()) detached.add(session, place)
  return { detached, sessions }
}

function event(bytes: number): Payload {
  return { name: 'TYPING_START', json: 'x'.repeat(bytes) }
}

/** Lets go of what is due, as the gateway does. */
function sweep(detached: Detached, nowMs: number): Session[] {
  const gone: Session[] = []
  for (const session of detached.due(bounds, nowMs)) {
    gone.push(session)
    detached.delete(session)
  }
  return gone
}

test('sessions are let go when their time is over, the longest gone first', () => {
  const { detached, sessions } = detachedSessions(3)
  expect(sweep(detached, 999)).toEqual([])
  expect(sweep(detached, 1_001)).toEqual(sessions.slice(0, 2))
  expect(detached.size).toBe(1)
})

test('more than may be kept: the longest gone are let go', () => {
  const { detached, sessions } = detachedSessions(5)
  expect(sweep(detached, 10)).toEqual(sessions.slice(0, 2))
})

test('of one user the longest gone are let go, and no others', () => {
  const { detached, sessions } = detachedSessions(4)
  expect(detached.dueOf(sessions.slice(1), bounds)).toEqual([sessions[1]])
  detached.delete(sessions[1]!)
  expect(detached.dueOf(sessions.slice(1), bounds)).toEqual([])
})

test('what sessions keep counts once however many keep it, before and after they lost their connection', () => {
  const { detached, sessions } = detachedSessions(2)
  const shared = event(600)
  for (const session of sessions) session.emit(shared)
  expect(sweep(detached, 10)).toEqual([])
  sessions[1]!.emit(event(500))
  expect(sweep(detached, 10)).toEqual(sessions)
  const { detached: later, sessions: others } = detachedSessions(1)
  const late = new Session({ id: '1', session_id: '2' } as never, false, undefined as never)
  late.emit(event(900))
  later.add(late, 20)
  expect(sweep(later, 30)).toEqual([])
  late.emit(event(900))
  expect(sweep(later, 30)).toEqual([...others, late])
})

test('events that a session keeps no longer do not count against the bound', () => {
  const { detached, sessions } = detachedSessions(1)
  for (let number = 0; number < 5_000; number += 1) sessions[0]!.emit(event(0))
  sessions[0]!.emit(event(999))
  for (let number = 0; number < 1_600; number += 1) sessions[0]!.emit(event(0))
  sessions[0]!.emit(event(999))
  expect(sweep(detached, 10)).toEqual([])
})

test('what a session keeps does not count against the bound once it has been resumed', () => {
  const { detached, sessions } = detachedSessions(2)
  sessions[0]!.emit(event(900))
  detached.delete(sessions[0]!)
  sessions[0]!.emit(event(900))
  sessions[1]!.emit(event(900))
  expect(sweep(detached, 10)).toEqual([])
})
