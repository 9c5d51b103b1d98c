import type { Db } from '../../database/client.ts'
import { insertImported } from '../../houses/archive/import-queries.ts'
import { CliError } from '../command.ts'
import { Ban, Entity, Member, Role, Room, seenName } from './format.ts'
import { allocateIds, mustHave } from './ids.ts'
import type { Archive } from './read.ts'

type Ids = ReadonlyMap<string, string>

/** What the rows of a house refer to, by the ids of the archive. */
export type Place = { houseId: string; users: Ids }

const maxThings = 1_000

/** Imports roles, rooms with their overrides, entities, members and bans. Returns the ids of the rooms. */
export async function importContents(trx: Db, archive: Archive, place: Place): Promise<Ids> {
  const house_id = place.houseId
  const roles = await archive.readList('roles.jsonl', Role)
  const rooms = await archive.readList('rooms.jsonl', Room)
  const entities = await archive.readList('entities.jsonl', Entity)
  if (Math.max(roles.length, rooms.length, entities.length) > maxThings) {
    throw new CliError('The archive has more rooms, roles or entities than a house may have.')
  }
  if (rooms.length === 0) throw new CliError('The archive has no room.')
  const roleIds = await allocateIds(trx, 'roles', roles)
  const roomIds = await allocateIds(trx, 'rooms', rooms)
  const entityIds = await allocateIds(trx, 'entities', entities)
  await insertImported(
    trx,
    'roles',
    roles.map((role) => ({
      ...disjoint(role),
      name: seenName(role.name),
      id: roleIds.get(role.id)!,
      house_id,
    })),
  )
  await insertImported(
    trx,
    'rooms',
    rooms.map(({ permission_overrides, ...room }) => {
      disjoint({ allow: room.default_allow, deny: room.default_deny })
      const overrides = movedOverrides(permission_overrides, { roles: roleIds, users: place.users })
      return {
        ...room,
        name: seenName(room.name),
        id: roomIds.get(room.id)!,
        house_id,
        type: 0,
        permission_overrides: overrides as never,
      }
    }),
  )
  await insertImported(
    trx,
    'entities',
    entities.map(({ id, name, position }) => ({
      id: entityIds.get(id)!,
      house_id,
      type: 1,
      name: seenName(name),
      position,
    })),
  )
  await insertImported(trx, 'entity_rooms', pointers(entities, entityIds, roomIds))
  await importMembers(trx, archive, place, roleIds)
  return roomIds
}

function pointers(entities: readonly Entity[], entityIds: Ids, roomIds: Ids) {
  const rows = entities.flatMap(({ id, rooms }) =>
    rooms.map((room, position) => ({
      room_id: mustHave(roomIds, room, 'room'),
      entity_id: entityIds.get(id)!,
      position,
    })),
  )
  if (new Set(rows.map(({ room_id }) => room_id)).size < rows.length) {
    throw new CliError('The archive has a room in two entities.')
  }
  return rows
}

async function importMembers(
  trx: Db,
  archive: Archive,
  { houseId, users }: Place,
  roleIds: Ids,
): Promise<void> {
  const house_id = houseId
  const members = unique(await archive.readList('members.jsonl', Member))
  const rows = members.map(({ user_id, joined_at }) => ({
    house_id,
    user_id: mustHave(users, user_id, 'user'),
    joined_at,
  }))
  await insertImported(trx, 'members', rows)
  const given = members.flatMap(({ user_id, roles }) =>
    [...new Set(roles)].map((role) => ({
      house_id,
      user_id: mustHave(users, user_id, 'user'),
      role_id: mustHave(roleIds, role, 'role'),
    })),
  )
  await insertImported(trx, 'member_roles', given)
  const present = new Set(rows.map(({ user_id }) => user_id))
  const bans = unique(await archive.readList('bans.jsonl', Ban)).map((ban) => ({
    house_id,
    user_id: mustHave(users, ban.user_id, 'user'),
    created_by: mustHave(users, ban.created_by, 'user'),
    reason: ban.reason,
    created_at: ban.created_at,
  }))
  await insertImported(
    trx,
    'bans',
    bans.filter(({ user_id }) => !present.has(user_id)),
  )
}

/** Overrides of roles and users that are gone end with the import. */
function movedOverrides(overrides: Room['permission_overrides'], ids: { roles: Ids; users: Ids }) {
  const moved = Object.values(overrides ?? {}).flatMap((each) => {
    const id = (each.type === 0 ? ids.roles : ids.users).get(each.id)
    return id === undefined ? [] : [[id, { ...disjoint(each), id }] as const]
  })
  return moved.length > 0 ? Object.fromEntries(moved) : null
}

function disjoint<Bits extends { allow: number; deny: number }>(bits: Bits): Bits {
  if ((bits.allow & bits.deny) !== 0)
    throw new CliError('The archive allows and denies one permission at once.')
  return bits
}

function unique<Row extends { user_id: string }>(rows: Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.user_id, row])).values()]
}
