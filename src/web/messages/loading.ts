import { batch } from '@preact/signals'
import { type Message, normalizeMessage } from '../../client/messages.ts'
import { onEvent } from '../connection.ts'
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
import { askForPage, furtherPageSize, type PageQuery, pageSize, record, stopRecording } from './asked-page.ts'
import { firstReaches, takeFirst } from './first-page.ts'
import { isKept } from './positions.ts'

function setTimeline(roomId: string, timeline: Timeline): void {
  change({ timelines: put(store.timelines.peek(), roomId, timeline) })
}

/** Loads the newest messages of a room. */
export function loadNewest(roomId: string): Promise<void> {
  return replace(roomId, {}, (page, known) => withNewest(known, page, pageSize))
}

/** Loads the messages from the last one that was read on: the newest ones, if they reach back to it and are there sooner. */
export async function loadUnread(roomId: string, lastRead: string): Promise<void> {
  const isReached = await firstReaches(roomId, lastRead)
  return isReached ? loadNewest(roomId) : loadAround(roomId, lastRead)
}

/** Loads the messages around one of them, instead of those that are known. */
export function loadAround(roomId: string, messageId: string): Promise<void> {
  return replace(roomId, { around: messageId }, (page) => around(messageId, page, pageSize))
}

/** By room: the page that is to replace what is known. One that was wanted before and comes later is dropped. */
const replacements = new Map<string, { key: string; loaded: Promise<void> }>()

function replace(
  roomId: string,
  query: PageQuery,
  make: (page: Message[], known: Timeline | undefined) => Timeline,
): Promise<void> {
  const key = JSON.stringify(query)
  const running = replacements.get(roomId)
  if (running?.key === key) return running.loaded
  const own = { key, loaded: Promise.resolve() }
  const isLatest = () => replacements.get(roomId) === own
  own.loaded = takePage(roomId, query, make, isLatest)
    .then(() => {})
    .finally(() => isLatest() && replacements.delete(roomId))
  replacements.set(roomId, own)
  return own.loaded
}

onEvent((event) => {
  const { e, d } = event
  // A page from before a new login may lack events: it is loaded again after the login.
  if (e === 'INIT_STATE') replacements.clear()
  const isOfMessage = e === 'MESSAGE_CREATE' || e === 'MESSAGE_UPDATE' || e === 'MESSAGE_DELETE'
  if (!isOfMessage && e !== 'REACTION_UPDATE' && e !== 'PIN_UPDATE') return
  record(d.room_id, () => {
    // Only the timeline: the rest of the state has changed with the event itself.
    const { timelines } = reducers[e](currentState(), d as never, Date.now())
    if (timelines) change({ timelines })
  })
})

/**
 * Loads a page, makes it part of the timeline, and puts what happened meanwhile on top. Returns false if it does not fit
 * any more. It is dropped if it is not wanted any more: the room was forgotten, or somebody else has logged in.
 */
async function takePage(
  roomId: string,
  query: PageQuery,
  make: (page: Message[], known: Timeline | undefined) => Timeline | undefined,
  isWanted = () => true,
): Promise<boolean> {
  const me = store.me.peek()?.id
  const asked = takeFirst(roomId, query) ?? askForPage(roomId, query)
  const listed = await asked.listed.finally(() => stopRecording(asked))
  if (!isWanted() || !isKept(roomId) || store.me.peek()?.id !== me) return true
  const page = listed.map(normalizeMessage).reverse()
  const timeline = make(page, store.timelines.peek()[roomId])
  if (!timeline) return false
  batch(() => {
    setTimeline(roomId, asked.isEarly ? { ...timeline, isStale: true } : timeline)
    for (const act of asked.repeat) act()
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
      return known?.messages[0]?.id === oldest.id ? withOlder(known, page, furtherPageSize) : undefined
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
      return known?.messages.at(-1)?.id === newest.id ? withNewer(known, page, furtherPageSize) : undefined
    })
    if (!fits) await load()
  })
}

/**
 * Puts a message that an answer brought into the timeline, where its place is known. Where there is no timeline, as no
 * page could be loaded, it loads one: the promise settles then.
 */
export function showMessage(message: Message): Promise<void> | undefined {
  record(message.room_id, () => showMessage(message))
  const { room_id } = message
  const timeline = store.timelines.peek()[room_id]
  if (timeline && !timeline.hasNewer) setTimeline(room_id, withMessage(timeline, message))
  if (timeline || !isKept(room_id)) return undefined
  return (replacements.get(room_id)?.loaded ?? loadNewest(room_id)).catch(() => {})
}

const running = new Map<string, Promise<void>>()

/** Runs one of a kind at a time: who asks meanwhile waits for the same one. */
function once(key: string, load: () => Promise<void>): Promise<void> {
  const present = running.get(key) ?? load().finally(() => running.delete(key))
  running.set(key, present)
  return present
}
