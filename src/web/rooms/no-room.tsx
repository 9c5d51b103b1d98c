import { useEffect } from 'preact/hooks'
import { NoticePage } from '../shell/page.tsx'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { loadOlderRoom } from './older-rooms.ts'

/** Where there is no room to show: why. Without `roomId` the house has none. */
export function NoRoom({ houseId, roomId }: { houseId?: string | undefined; roomId?: string }) {
  useEffect(() => {
    if (houseId === undefined && roomId !== undefined) void loadOlderRoom(roomId)
  }, [houseId, roomId])
  const isHouseGone = houseId !== undefined && !(houseId in store.houses.value)
  const ofRoom = roomId === undefined ? t().noRooms : t().roomGone
  return <NoticePage title={t().rooms} text={isHouseGone ? t().houseGone : ofRoom} />
}
