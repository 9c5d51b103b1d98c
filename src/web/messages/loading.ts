import { batch } from '@preact/signals'
import { type Message, normalizeMessage } from '../../client/messages.ts'
import { onEvent } from '../connection.ts'
import { api } from '../session.ts'
import { put } from '../state/records.ts'
import { reducers } from '../state/reducers/index.ts'
import type { Timeline } from '../state/state.ts'
import { change, currentState, store } from '../state/store.ts'
import {
  around,
  keepNewest,
  mostKept,
  withMessage,
  withNewer,
  withNewest,
  withOlder,
} from '../state/timeline.ts'

const pageSize = 50

type Page = { before?: string; after?: string; around?: string }

/** A page of messages, oldest first. */
async function loadPage(roomId: string, page: Page): Promise<Message[]> {
  const query = { limit: String(pageSize), extended: 'true', ...page } as const
  const messages = await api.call('listMessages', { params: { id: roomId }, query })
  return messages.map(normalizeMessage).reverse()
}

function setTimeline(roomId: string, timeline: Timeline): void {
  change({ timelines: put(store.timelines.peek(), roomId, timeline) })
}

/** Loads the newest messages of a room. */
export function loadNewest(roomId: string): Promise<void> {
  return once(`${roomId} newest`, async () => {
    await takePage(roomId, {}, (page, known) => withNewest(known, page, pageSize))
  })
}

/** Loads the messages around one of them, instead of those that are known. */
export async function loadAround(roomId: string, messageId: string): Promise<void> {
  await takePage(roomId, { around: messageId }, (page) => around(messageId, page, pageSize))
}

/** What happens in rooms while a page of theirs is on its way, and may not be in it. */
const recorders = new Set<{ roomId: string; repeat: (() => void)[] }>()

onEvent((event) => {
  const { e, d } = event
  const isOfMessage = e === 'MESSAGE_CREATE' || e === 'MESSAGE_UPDATE' || e === 'MESSAGE_DELETE'
  if (!isOfMessage && e !== 'REACTION_UPDATE' && e !== 'PIN_UPDATE') return
  record(d.room_id, () => {
    // Only the timeline: the rest of the state has changed with the event itself.
    const { timelines } = reducers[e](currentState(), d as never, Date.now())
    if (timelines) change({ timelines })
  })
})

function record(roomId: string, act: () => void): void {
  for (const recorder of recorders) if (recorder.roomId === roomId) recorder.repeat.push(act)
}

/** Loads a page, makes it part of the timeline, and puts what happened meanwhile on top. Gives whether it fitted. */
async function takePage(
  roomId: string,
  query: Page,
  make: (page: Message[], known: Timeline | undefined) => Timeline | undefined,
): Promise<boolean> {
  const recorder = { roomId, repeat: [] as (() => void)[] }
  recorders.add(recorder)
  const page = await loadPage(roomId, query).finally(() => recorders.delete(recorder))
  const timeline = make(page, store.timelines.peek()[roomId])
  if (!timeline) return false
  batch(() => {
    setTimeline(roomId, timeline)
    for (const act of recorder.repeat) act()
  })
  return true
}

/** Forgets the oldest messages of a room whose end is in sight, if there are too many. */
export function forgetOldest(roomId: string): void {
  const timeline = store.timelines.peek()[roomId]
  if (timeline && timeline.messages.length > mostKept + pageSize) setTimeline(roomId, keepNewest(timeline))
}

/** Loads what is before the oldest message that is known. */
export function loadOlder(roomId: string): Promise<void> {
  return once(`${roomId} older`, async function load(): Promise<void> {
    const oldest = store.timelines.peek()[roomId]?.messages[0]
    if (!oldest) return
    // The page belongs before this message alone: elsewhere it would leave a gap.
    const fits = await takePage(roomId, { before: oldest.id }, (page, known) => {
      return known?.messages[0]?.id === oldest.id ? withOlder(known, page, pageSize) : undefined
    })
    if (!fits) await load()
  })
}

/** Loads what is after the newest message that is known. */
export function loadNewer(roomId: string): Promise<void> {
  return once(`${roomId} newer`, async function load(): Promise<void> {
    const newest = store.timelines.peek()[roomId]?.messages.at(-1)
    if (!newest) return
    const fits = await takePage(roomId, { after: newest.id }, (page, known) => {
      return known?.messages.at(-1)?.id === newest.id ? withNewer(known, page, pageSize) : undefined
    })
    if (!fits) await load()
  })
}

/** Puts a message that an answer brought into the timeline, where its place is known. */
export function showMessage(message: Message): void {
  record(message.room_id, () => showMessage(message))
  const timeline = store.timelines.peek()[message.room_id]
  if (timeline && !timeline.hasNewer) setTimeline(message.room_id, withMessage(timeline, message))
}

const running = new Map<string, Promise<void>>()

/** Runs one of a kind at a time: who asks meanwhile waits for the same one. */
function once(key: string, load: () => Promise<void>): Promise<void> {
  const present = running.get(key) ?? load().finally(() => running.delete(key))
  running.set(key, present)
  return present
}
