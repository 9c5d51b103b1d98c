import { setTimeout as pause } from 'node:timers/promises'
import { findHouseContents, type HouseContents } from '../../houses/contents-queries.ts'
import type { MemberRow } from '../../houses/members/queries.ts'
import type { GatewayContext } from '../context.ts'
import { maxListedMembers } from '../settings.ts'
import { houseJoin, listShownMembers } from './house-state.ts'
import { type AnnouncedHouse, loadState } from './init-state.ts'
import { readInTurn } from './login-reads.ts'
import type { Session } from './session.ts'

/** Houses are read together whose members and rooms come to this: a room takes as much as some members. */
const maxCostAtOnce = 5_000
const membersPerRoom = 5
/** How long houses that were read are kept in memory for a client that reads slowly. */
const keptForMs = 1_000

/** Reads the state of a login. Returns how to send it; undefined if the account is gone. */
export async function readLogin(
  gateway: GatewayContext,
  session: Session,
): Promise<(() => Promise<void>) | undefined> {
  // What is read from now on includes everything up to this position.
  const position = await gateway.bus.catchUp()
  const state = await loadState(gateway.db, session)
  if (!state) return undefined
  const { event, houses, privateRoomIds } = state
  return async () => {
    session.setStart(position, [...houses.map(({ house }) => house.id), ...privateRoomIds])
    for (const id of privateRoomIds) gateway.registry.enterPrivateRoom(session, id)
    session.emitState(event, houses.length === 0)
    await pause(gateway.settings.houseJoinDelayMs)
    await sendHouses(gateway, session, houses)
  }
}

/** Sends the HOUSE_JOINs, no faster than the socket takes them. */
async function sendHouses(gateway: GatewayContext, session: Session, houses: readonly AnnouncedHouse[]) {
  for (let left = houses; left.length > 0; ) {
    await session.connection.drained()
    const read = await readInTurn(gateway, gateway.houseReads, session, () =>
      readHouses(gateway, firstPart(left)),
    )
    if (!read) return
    left = left.slice(await sendPart(gateway, session, read, left.length))
  }
}

type ReadHouse = { contents: HouseContents; own: MemberRow; members: MemberRow[] }

/** Sends HOUSE_JOINs, and returns how many: while a client reads slowly, what can be read again is not kept. */
async function sendPart(
  { registry }: GatewayContext,
  session: Session,
  houses: readonly ReadHouse[],
  left: number,
): Promise<number> {
  let sent = 0
  for (const { contents, own, members } of houses) {
    const { event, roomIds } = houseJoin(contents, own, members)
    registry.enterHouse(session, contents.house.id, roomIds)
    sent += 1
    session.emitState(event, sent === left)
    const isDrained = session.connection.drained().then(() => true)
    if (!(await Promise.race([isDrained, pause(keptForMs, false, { ref: false })]))) break
  }
  return sent
}

/** A house that is left or deleted meanwhile still gets its HOUSE_JOIN, before the event that ends it. */
function readHouses({ db }: GatewayContext, houses: readonly AnnouncedHouse[]): Promise<ReadHouse[]> {
  return Promise.all(
    houses.map(async ({ house, own }) => {
      const contents = await findHouseContents(db, house.id)
      if (contents) return { contents, own, members: await listShownMembers(db, contents) }
      return { contents: { house, rooms: [], entities: [], roles: own.roles }, own, members: [own] }
    }),
  )
}

/** Houses that are read together: one, or more as long as they are small. */
function firstPart(houses: readonly AnnouncedHouse[]): readonly AnnouncedHouse[] {
  let left = maxCostAtOnce
  const end = houses.findIndex(({ house, own }) => {
    left -= Math.min(house.member_count, maxListedMembers) + own.room_count * membersPerRoom
    return left < 0
  })
  return end === -1 ? houses : houses.slice(0, Math.max(1, end))
}
