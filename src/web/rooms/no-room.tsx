import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { NoticePage } from '../shell/page.tsx'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { loadOlderRoom } from './older-rooms.ts'

type NoRoomProps = { houseId?: string | undefined; roomId?: string; children?: ComponentChildren }

/** Where there is no room to show: why. Without `roomId` the house has none. */
export function NoRoom({ houseId, roomId, children }: NoRoomProps) {
  useEffect(() => {
    if (houseId === undefined && roomId !== undefined) void loadOlderRoom(roomId)
  }, [houseId, roomId])
  const isHouseGone = houseId !== undefined && !(houseId in store.houses.value)
  const ofRoom = roomId === undefined ? t().noRooms : t().roomGone
  return (
    <NoticePage title={t().rooms} text={isHouseGone ? t().houseGone : ofRoom}>
      {children}
    </NoticePage>
  )
}
