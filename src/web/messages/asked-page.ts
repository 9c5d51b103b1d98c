import type { Answer } from '../../client/operations.ts'
import { api } from '../session.ts'

/** How many messages the first page of a room has, and one around a message. */
export const pageSize = 50
/** Size of each further page. It is larger, so that scrolling waits less often. */
export const furtherPageSize = 100

export type PageQuery = { before?: string; after?: string; around?: string }
type Listed = Answer<'listMessages'>

/** A page of messages on its way, and what happens in its room meanwhile, which may not be in it. */
export type AskedPage = {
  roomId: string
  query: PageQuery
  /** Newest first. */
  listed: Promise<Listed>
  repeat: (() => void)[]
  /** Whether it was asked for before the login: it may lack what has happened since. */
  isEarly: boolean
}

const recording = new Set<AskedPage>()

/** Asks for a page, and records what happens in the room until `stopRecording`. */
export function askForPage(roomId: string, query: PageQuery, isEarly = false): AskedPage {
  const asked = { roomId, query, listed: listMessages(roomId, query), repeat: [], isEarly }
  recording.add(asked)
  return asked
}

export function listMessages(roomId: string, page: PageQuery): Promise<Listed> {
  const limit = String(page.before || page.after ? furtherPageSize : pageSize)
  const query = { limit, extended: 'true', ...page } as const
  return api.call('listMessages', { params: { id: roomId }, query })
}

export function stopRecording(asked: AskedPage): void {
  recording.delete(asked)
}

/** Notes something that has happened in a room, to be repeated on top of the pages that are on their way. */
export function record(roomId: string, act: () => void): void {
  for (const asked of recording) if (asked.roomId === roomId) asked.repeat.push(act)
}
