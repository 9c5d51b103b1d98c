import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allPermissions,
  canChangeBits,
  type HouseContext,
  hasBits,
  housePermissions,
  newHousePermissions,
  noBits,
  outranks,
  permission,
  type RoomContext,
  rank,
  roomPermissions,
} from '../../src/houses/permissions.ts'

const { ADMINISTRATOR, ATTACH_MEDIA, MANAGE_ROLES, MANAGE_ROOMS, READ_MESSAGES, SEND_MESSAGES } = permission

// The slow, obvious model of docs/permissions.md#effective-permissions: a set of bit names, one bit and one step at a
// time.
type Name = keyof typeof permission
const names = Object.keys(permission) as Name[]
const setOf = (bits: number) => new Set(names.filter((name) => Math.floor(bits / permission[name]) % 2 === 1))
const bitsOf = (set: Set<Name>) => [...set].reduce((sum, name) => sum + permission[name], 0)

function applyTo(set: Set<Name>, change: { allow: number; deny: number }): void {
  for (const name of setOf(change.deny)) set.delete(name)
  for (const name of setOf(change.allow)) set.add(name)
}

/** Yields the roles from the lowest to the highest. */
function fromTheLowest(facts: HouseContext) {
  const left = [...facts.roles]
  const sorted: typeof left = []
  while (left.length > 0) {
    let lowest = 0
    left.forEach((role, index) => {
      const other = left[lowest]!
      const newer = role.position === other.position && BigInt(role.id) > BigInt(other.id)
      if (role.position < other.position || newer) lowest = index
    })
    sorted.push(...left.splice(lowest, 1))
  }
  return sorted
}

function modelHouse(facts: HouseContext): Set<Name> {
  if (facts.owner_id === facts.user_id) return new Set(names)
  const set = setOf(facts.default_permissions)
  for (const role of fromTheLowest(facts)) applyTo(set, role)
  return set.has('ADMINISTRATOR') ? new Set(names) : set
}

function modelRoom(facts: HouseContext, room: RoomContext): Set<Name> {
  const inHouse = modelHouse(facts)
  if (facts.owner_id === facts.user_id || inHouse.has('ADMINISTRATOR')) return new Set(names)
  const set = new Set(inHouse)
  applyTo(set, { allow: room.default_allow, deny: room.default_deny })
  for (const role of fromTheLowest(facts)) {
    const override = room.permission_overrides?.[role.id]
    if (override && override.type === 0) applyTo(set, override)
  }
  const own = room.permission_overrides?.[facts.user_id]
  if (own && own.type === 1) applyTo(set, own)
  set.delete('ADMINISTRATOR')
  return set.has('READ_MESSAGES') ? set : new Set()
}

// Few distinct ids and positions, so that roles tie and overrides hit; ids of different lengths, so that text order fails.
const bits = fc.integer({ min: 0, max: allPermissions })
const allowDeny = fc.tuple(bits, bits).map(([allow, deny]) => ({ allow, deny: deny & ~allow }))
const roleIds = ['9', '10', '11', '99', '100', '9007199254740993']
const roles = fc
  .subarray(roleIds)
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc
          .tuple(fc.integer({ min: 0, max: 3 }), allowDeny)
          .map(([position, change]) => ({ id, position, ...change })),
      ),
    ),
  )
const facts: fc.Arbitrary<HouseContext> = fc.record({
  user_id: fc.constantFrom('500', '501'),
  owner_id: fc.constant('500'),
  default_permissions: bits,
  roles,
})
const overrides = fc.dictionary(
  fc.constantFrom(...roleIds, '500', '501', '777'),
  fc.tuple(fc.integer({ min: 0, max: 1 }), allowDeny).map(([type, change]) => ({ type, ...change })),
)
const room: fc.Arbitrary<RoomContext> = fc
  .tuple(allowDeny, fc.option(overrides))
  .map(([change, permission_overrides]) => ({
    default_allow: change.allow,
    default_deny: change.deny,
    permission_overrides,
  }))

describe('effective permissions agree with the model', () => {
  test('in the house', () => {
    fc.assert(
      fc.property(facts, (member) => {
        expect(housePermissions(member)).toBe(bitsOf(modelHouse(member)))
      }),
      { numRuns: 2_000 },
    )
  })

  test('in a room', () => {
    fc.assert(
      fc.property(facts, room, (member, place) => {
        expect(roomPermissions(member, place)).toBe(bitsOf(modelRoom(member, place)))
      }),
      { numRuns: 5_000 },
    )
  })

  test('whatever the order the roles come in', () => {
    fc.assert(
      fc.property(facts, room, (member, place) => {
        const turned = { ...member, roles: member.roles.toReversed() }
        expect(roomPermissions(turned, place)).toBe(roomPermissions(member, place))
      }),
    )
  })
})

const member = (fields: Partial<HouseContext> = {}): HouseContext => ({
  user_id: '2',
  owner_id: '1',
  default_permissions: newHousePermissions,
  roles: [],
  ...fields,
})
const open: RoomContext = { default_allow: 0, default_deny: 0, permission_overrides: null }

test('the twenty bits are all permissions, and a new house has 0, 1, 6, 12, 13, 15, 17', () => {
  expect(Object.values(permission).reduce((sum, bit) => sum + bit, 0)).toBe(allPermissions)
  expect([0, 1, 6, 12, 13, 15, 17].reduce((sum, bit) => sum + 2 ** bit, 0)).toBe(newHousePermissions)
})

describe('in the house', () => {
  test.each([
    [
      'the owner holds all bits, whatever the defaults',
      member({ user_id: '1', default_permissions: 0 }),
      allPermissions,
    ],
    ['a member without roles holds the defaults', member(), newHousePermissions],
    [
      'a role takes and gives',
      member({ roles: [{ id: '5', position: 0, allow: MANAGE_ROLES, deny: SEND_MESSAGES }] }),
      (newHousePermissions | MANAGE_ROLES) & ~SEND_MESSAGES,
    ],
    [
      'the higher role has the last word',
      member({
        default_permissions: 0,
        roles: [
          { id: '5', position: 2, allow: SEND_MESSAGES, deny: 0 },
          { id: '6', position: 1, allow: 0, deny: SEND_MESSAGES },
        ],
      }),
      SEND_MESSAGES,
    ],
    [
      'of equal roles the older has the last word',
      member({
        default_permissions: 0,
        roles: [
          { id: '10', position: 1, allow: 0, deny: SEND_MESSAGES },
          { id: '9', position: 1, allow: SEND_MESSAGES, deny: 0 },
        ],
      }),
      SEND_MESSAGES,
    ],
    [
      'administrators hold all bits',
      member({ roles: [{ id: '5', position: 0, allow: ADMINISTRATOR, deny: READ_MESSAGES }] }),
      allPermissions,
    ],
  ])('%s', (_name, facts, wanted) => expect(housePermissions(facts)).toBe(wanted))
})

describe('in a room', () => {
  const everyone = { ...open, default_deny: SEND_MESSAGES }
  const role = { id: '5', position: 0, allow: 0, deny: 0 }
  test.each([
    ['without overrides the bits of the house hold', member(), open, newHousePermissions],
    ['the default of the room takes', member(), everyone, newHousePermissions & ~SEND_MESSAGES],
    [
      'the override of a role comes after the default',
      member({ roles: [role] }),
      { ...everyone, permission_overrides: { '5': { type: 0, allow: SEND_MESSAGES, deny: 0 } } },
      newHousePermissions,
    ],
    [
      'the override of the member comes last',
      member({ roles: [role] }),
      {
        ...open,
        permission_overrides: {
          '5': { type: 0, allow: 0, deny: READ_MESSAGES },
          '2': { type: 1, allow: READ_MESSAGES, deny: ATTACH_MEDIA },
        },
      },
      newHousePermissions & ~ATTACH_MEDIA,
    ],
    [
      'who cannot read holds nothing',
      member(),
      { ...open, default_deny: READ_MESSAGES, default_allow: MANAGE_ROOMS },
      0,
    ],
    [
      'an administrator made by an override is none',
      member(),
      { ...open, permission_overrides: { '2': { type: 1, allow: ADMINISTRATOR, deny: READ_MESSAGES } } },
      0,
    ],
    [
      'overrides do not reach the owner',
      member({ user_id: '1' }),
      { ...open, permission_overrides: { '1': { type: 1, allow: 0, deny: READ_MESSAGES } } },
      allPermissions,
    ],
  ])('%s', (_name, facts, place, wanted) => expect(roomPermissions(facts, place)).toBe(wanted))
})

test('the owner ranks above all, others by their highest role, and without roles below every role', () => {
  const high = { id: '5', position: 7, allow: 0, deny: 0 }
  expect(rank(member({ user_id: '1' }))).toBe(Number.POSITIVE_INFINITY)
  expect(rank(member({ roles: [{ ...high, id: '6', position: 3 }, high] }))).toBe(7)
  expect(rank(member())).toBe(-1)
  expect(outranks(member({ roles: [high] }), 6)).toBe(true)
  expect(outranks(member({ roles: [high] }), 7)).toBe(false)
  expect(outranks(member(), -1)).toBe(false)
})

test('only bits that the member has may change, in either direction', () => {
  const held = { allow: SEND_MESSAGES, deny: 0 }
  const lacked = { allow: MANAGE_ROLES, deny: 0 }
  expect(canChangeBits(member(), noBits, held)).toBe(true)
  expect(canChangeBits(member(), held, { allow: 0, deny: SEND_MESSAGES })).toBe(true)
  expect(canChangeBits(member(), noBits, lacked)).toBe(false)
  expect(canChangeBits(member(), lacked, noBits)).toBe(false)
  expect(canChangeBits(member(), noBits, { allow: 0, deny: MANAGE_ROLES })).toBe(false)
  expect(canChangeBits(member(), lacked, { allow: MANAGE_ROLES | SEND_MESSAGES, deny: 0 })).toBe(true)
  expect(hasBits(newHousePermissions, MANAGE_ROLES)).toBe(false)
})
