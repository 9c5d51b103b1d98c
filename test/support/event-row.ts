import { expect, vi } from 'vitest'
import { presenceOf } from '../../src/events/presence.ts'
import type { Column, EventScene } from './event-scene.ts'
import type { call, Person } from './world.ts'

type Request = [Parameters<typeof call>[1], string, object?]

/** One action by its real route or frame, and the events that each person receives; others receive none. */
export type EventRow = {
  /** What is done. */
  action: string
  /** Who does it; the caller if not said. */
  by?: Column
  /** What the scene is before, beyond what it always is; everybody is connected. */
  before?: (scene: EventScene) => unknown
  request?: (scene: EventScene) => Request | Promise<Request>
  /** Where it is no request. */
  act?: (scene: EventScene) => unknown
  received?: ReceivedEvents
  /** The request is refused. */
  refused?: true
  /** It leaves people and places as they are, but for messages: the next such row may have the same scene. */
  keepsScene?: true
  /** Several facts, each with an order of its own. */
  anyOrder?: true
}

export type ReceivedEvents = Partial<Record<Column, string[]>>

/** These people receive these events. */
export const to =
  (...names: Column[]) =>
  (...events: string[]): ReceivedEvents =>
    Object.fromEntries(names.map((name) => [name, events]))
export const self = to('caller', 'again')
export const members = to('caller', 'again', 'member', 'unreading', 'blocked')
export const readers = to('caller', 'again', 'member', 'blocked')
export const inPair = to('caller', 'again', 'partner')
export const inGroup = to('caller', 'again', 'partner', 'blocked')

export const gained = ['ROOM_CREATE', 'HOUSE_ENTITIES_UPDATE']
export const lost = ['ROOM_DELETE', 'HOUSE_ENTITIES_UPDATE']

export const ofHouse = ({ den }: EventScene, path = '') => `/houses/${den.id}${path}`
export const ofRoom = ({ den }: EventScene, path = '') => `/rooms/${den.room_id}${path}`

/** Settles when a user is shown offline. */
export const gone = (person: Person) =>
  vi.waitFor(() => expect(presenceOf(person.id)).toBe('offline'), 60_000)
