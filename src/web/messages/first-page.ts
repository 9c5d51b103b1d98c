import { onEvent } from '../connection.ts'
import { startPlace } from '../houses/last-rooms.ts'
import { place } from '../router.ts'
import { token } from '../session.ts'
import { isNarrow } from '../shell/media.ts'
import { compareIds } from '../state/records.ts'
import {
  type AskedPage,
  askForPage,
  listMessages,
  type PageQuery,
  pageSize,
  stopRecording,
} from './asked-page.ts'

/** Time that the request waits for the login, in ms. A page that is requested without it is requested again after it. */
const fastLoginMs = 150
/** Age at which an unused first page is dropped, in ms. */
const longestMs = 60_000

let first: (AskedPage & { token: string | undefined }) | undefined

/** Asks for the messages of the room that the address names: once the login begins, or at once where that is slow. */
export function startFirstPage(): void {
  const here = place.peek()
  const at = isNarrow.peek() && here.name === 'house' ? here : startPlace(here)
  if (token.peek() === undefined || !('roomId' in at)) return
  const query = at.message === undefined ? {} : { around: at.message }
  let isAsked = false
  const ask = (isEarly: boolean) => {
    isAsked = true
    clearTimeout(timer)
    first = Object.assign(askForPage(at.roomId, query, isEarly), { token: token.peek() })
    first.listed.catch(() => {})
    setTimeout(dropFirst, longestMs)
  }
  const timer = setTimeout(() => ask(true), fastLoginMs)
  onEvent(({ e }) => {
    if (e !== 'INIT_STATE') return
    if (!isAsked) ask(false)
    else if (first) first.isEarly = true
  })
}

/** The page that was asked for first, if it is this one. It is given out once. */
export function takeFirst(roomId: string, query: PageQuery): AskedPage | undefined {
  const taken = firstOf(roomId, query)
  if (!taken) return undefined
  first = undefined
  // If the early request fails, the page is requested again.
  return Object.assign(taken, { listed: taken.listed.catch(() => listMessages(roomId, query)) })
}

function dropFirst(): void {
  if (first) stopRecording(first)
  first = undefined
}

/** Whether the newest page of a room was asked for first, and reaches back to a message. */
export async function firstReaches(roomId: string, messageId: string): Promise<boolean> {
  const listed = await firstOf(roomId, {})?.listed.catch(() => undefined)
  if (!listed) return false
  const oldest = listed.at(-1)
  return oldest === undefined || listed.length < pageSize || compareIds(oldest.id, messageId) <= 0
}

function firstOf(roomId: string, query: PageQuery): typeof first {
  const isIt =
    first?.roomId === roomId && first.query.around === query.around && !query.before && !query.after
  return isIt && first?.token === token.peek() ? first : undefined
}
