import { createHash } from 'node:crypto'
import { firstIdAt } from '../../../src/ids.ts'
import type { Person } from '../world.ts'

/** The id of something made on a day and hour of May 2024: ids, times and tokens here are always the same. */
const madeAt = (time: string) => firstIdAt(Date.parse(`2024-05-${time}:00Z`))
/** The same as a time. */
export const on = (time: string) => new Date(`2024-05-${time}:00Z`)

function person(username: string, name: string, at: string): Person & { name: string; joined: Date } {
  const token = createHash('sha512').update(username).digest('hex')
  return { id: madeAt(at), username, name, token, session_id: madeAt(`${at.slice(0, -2)}01`), joined: on(at) }
}

/** Who asks in the examples, unless they say so, is Mira. */
export const people = {
  mira: person('mira', 'Mira Okafor', '01T09:00'),
  jonas: person('jonas', 'Jonas Lind', '01T10:00'),
  tomasz: person('tomasz', 'Tomasz W.', '01T11:00'),
  nadia: person('nadia', 'Nadia', '01T12:00'),
  leo: person('leo', 'Leo Marchetti', '01T13:00'),
  priya: person('priya', 'Priya', '01T14:00'),
  sam: person('sam', 'Sam', '01T15:00'),
  ayumi: person('ayumi', 'Ayumi', '01T16:00'),
  gus: person('gus', 'Gus', '01T17:00'),
  cheapdrills: person('cheapdrills', 'Cheap Drills', '01T18:00'),
  toolbot: person('toolbot', 'Tool Bot', '01T19:00'),
}
export type Name = keyof typeof people

export const password = 'a shed full of drills'
export const library = madeAt('02T09:00')
export const skyClub = madeAt('02T10:00')
export const rooms = {
  general: madeAt('02T09:01'),
  lending: madeAt('02T09:02'),
  stars: madeAt('02T10:01'),
  cake: madeAt('02T11:00'),
  withPriya: madeAt('02T12:00'),
}
export const entities = { rooms: madeAt('02T09:03'), archive: madeAt('02T09:04'), stars: madeAt('02T10:03') }
export const roles = { keepers: madeAt('02T09:05'), borrowers: madeAt('02T09:06') }
export const messages = {
  morning: madeAt('03T08:00'),
  sander: madeAt('03T08:05'),
  hinge: madeAt('03T08:10'),
  plum: madeAt('03T08:15'),
  tripod: madeAt('03T08:20'),
}
export const invites = { library: 'aX4p9Q', skyClub: 'nSk7Y2' }
/** It writes into the room for lending. */
export const webhook = {
  id: madeAt('02T09:07'),
  name: 'Tool tracker',
  token: createHash('sha512').update('webhook').digest('hex'),
}
export const audited = madeAt('04T09:00')
export const phone = madeAt('02T20:00')
export const codes = { email: 'e3'.repeat(16), reset: '4d'.repeat(16), oidc: '9c'.repeat(16) }
/** What TOTP codes are made with, in base32. */
export const totpSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
export const file = {
  key: '5a'.repeat(16),
  name: 'hinge.txt',
  content: 'The left hinge of the ladder is loose.\n',
}
export const pictures = {
  icon: `${'a1'.repeat(20)}.webp`,
  header: `${'b2'.repeat(20)}.webp`,
  library: `${'c3'.repeat(20)}.webp`,
}
/** A picture as clients send it: one red pixel. */
export const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
