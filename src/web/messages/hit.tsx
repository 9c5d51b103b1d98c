import type { ComponentChildren } from 'preact'
import { BotMark } from '../houses/bot-mark.tsx'
import { pathOf } from '../places.ts'
import { placeOf, roomName } from '../rooms/rooms.ts'
import type { Message } from '../state/state.ts'
import { store } from '../state/store.ts'
import { dayText, timeText } from '../texts/dates.ts'
import { Folded, isFolded } from './blocked.tsx'
import { Content } from './content.tsx'

type HitProps = {
  message: Message
  /** Where not all are of one house. */
  namesHouse?: boolean
  children?: ComponentChildren
}

/** A message in a list of messages of many rooms, with the way to it, and what else one can do with it. */
export function Hit({ message, namesHouse = false, children }: HitProps) {
  const { id, room_id, timestamp } = message
  const room = store.rooms.value[room_id]
  if (!room) return null
  const house = store.houses.value[room.house_id ?? '']
  const isHidden = isFolded(message)
  return (
    <li class="hit">
      {isHidden ? <Folded message={message} /> : <Said message={message} />}
      <a href={pathOf(placeOf(room, id))}>
        {house && namesHouse && (
          <>
            <bdi>{house.name}</bdi>,{' '}
          </>
        )}
        <bdi>{roomName(room)}</bdi>, {dayText(timestamp)} {timeText(timestamp)}
      </a>{' '}
      {children}
    </li>
  )
}

function Said({ message }: Pick<HitProps, 'message'>) {
  const { author } = message
  return (
    <>
      <p class="message-author">
        <bdi>{author.name}</bdi> <BotMark of={author} />
      </p>
      <Content message={message} />
    </>
  )
}
