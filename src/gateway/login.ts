import { setTimeout as pause } from 'node:timers/promises'
import { findCaller } from '../auth/queries.ts'
import { listHouseIds } from '../houses/queries.ts'
import { listPrivateRoomIds } from '../rooms/private-room-queries.ts'
import type { Gateway } from './gateway.ts'
import { joinOf, listMembersToShow } from './house-state.ts'
import { retryWhileBusy } from './retry.ts'
import type { Session } from './session.ts'
import { type Announced, loadState } from './state.ts'

/** Houses whose members are read together: so many members at a time. */
const membersAtOnce = 5_000

/**
 * Tells a new session its state: INIT_STATE, after a pause one HOUSE_JOIN for each house it names, and then what
 * happened meanwhile. Returns whether the token still held when the session was there to be ended with it.
 */
export async function tellState(gateway: Gateway, session: Session, tokenHash: string): Promise<boolean> {
  const { db, hub } = gateway
  const readAll = async () => {
    const [houseIds, roomIds] = await Promise.all([
      listHouseIds(db, session.userId),
      listPrivateRoomIds(db, session.userId),
    ])
    for (const id of [...houseIds, ...roomIds]) hub.awaitScope(session, id)
    return Promise.all([loadState(db, session, { houseIds, roomIds }), findCaller(db, tokenHash)])
  }
  const isWanted = () => isOpen(session)
  const read = await gateway.loginReads(async () =>
    isWanted() ? retryWhileBusy(db, isWanted, readAll) : undefined,
  )
  if (!read || !isOpen(session)) return true
  const [state, caller] = read
  if (!state || !caller) return false
  for (const id of state.privateRoomIds) hub.enterRoom(session, null, id)
  session.emitOnce(state.event)
  // One of the held facts may be a HOUSE_JOIN, of a house that was joined meanwhile.
  if (state.houses.length > 0 || session.held?.length) await pause(gateway.settings.houseJoinDelayMs)
  await tellHouses(gateway, session, state.houses)
  session.isTold = isOpen(session)
  await catchUp(gateway, session)
  return true
}

/** The HOUSE_JOINs, no faster than the socket takes them. */
async function tellHouses(gateway: Gateway, session: Session, houses: readonly Announced[]) {
  const { db, hub } = gateway
  for (const part of inParts(houses)) {
    const members = await retryWhileBusy(
      db,
      () => isOpen(session),
      () => Promise.all(part.map(({ contents }) => listMembersToShow(gateway, contents))),
    )
    for (const [index, { contents, own }] of part.entries()) {
      await session.connection?.drained()
      if (!isOpen(session)) return
      // A house left in between still gets its HOUSE_JOIN, and what ended it follows.
      const house = joinOf(contents, own, members[index]!)
      hub.enterHouse(session, house.houseId, house.roomIds)
      session.emitOnce(house.event)
    }
  }
}

/** What was held, in order, until nothing is left of it. */
async function catchUp({ hub }: Gateway, session: Session): Promise<void> {
  for (let work = session.held?.shift(); work; work = session.held?.shift()) await work()
  if (session.held) hub.goLive(session)
}

/** Its connection may close, or its token end, at any moment. */
function isOpen(session: Session): boolean {
  return session.held !== null && session.connection?.isOpen === true
}

function inParts(houses: readonly Announced[]): Announced[][] {
  const parts: Announced[][] = []
  let left = 0
  for (const house of houses) {
    const size = house.contents.house.member_count
    if (size > left) {
      parts.push([])
      left = membersAtOnce
    }
    parts.at(-1)!.push(house)
    left -= size
  }
  return parts
}
