import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { ApiError } from '../../client/errors.ts'
import { connections } from '../connection.ts'
import { isGroup, roomName } from '../rooms/rooms.ts'
import { onLeaving } from '../router.ts'
import { TimelineAnnouncement } from '../shell/announcement.tsx'
import { compareIds } from '../state/records.ts'
import type { Message } from '../state/state.ts'
import { store } from '../state/store.ts'
import { dayText } from '../texts/dates.ts'
import { errorText, t } from '../texts/texts.ts'
import { rescueEdits } from './editing.ts'
import { forgetOldest, loadNewer, loadNewest, loadOlder } from './loading.ts'
import { MessageRow } from './message.tsx'
import { useMessageStops } from './message-stops.ts'
import { moveByMessage } from './move-by-message.ts'
import { Announcer, Pill, useFirstNew } from './new-messages.tsx'
import { newIndex, type Row, toRows } from './rows.ts'
import { outbox } from './sending.ts'
import { Unsent } from './unsent.tsx'
import { hasFocus, useAcknowledge } from './use-acknowledge.ts'
import { atEnd, useTimeline, type Visit } from './use-timeline.ts'
import { useVirtualRows } from './use-virtual-rows.ts'
import type { VirtualRows } from './virtual-rows.ts'

/** So near to the first or last message that is known, further ones are loaded. */
const nearPx = 800

type TimelineProps = { roomId: string; name: string; visit: Visit }

/** The messages of a room. To be keyed by the room. */
export function MessageTimeline({ roomId, name, visit }: TimelineProps) {
  const { message: target } = visit
  const log = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const reading = useRef(() => undefined as string | undefined)
  const { timeline, failure, goal, isGoalGone, retry } = useTimeline(roomId, visit, reading)
  const { messages = [], hasOlder = false, hasNewer = false } = timeline ?? {}
  // While there is no timeline, those whose message has come are shown as well.
  const unsent = outbox.entries.value.filter(
    (each) => each.room_id === roomId && !(timeline && each.message_id),
  )
  const isSeen = () => hasFocus.peek() && reading.current() === undefined
  const { firstNew, markRead } = useFirstNew(roomId, timeline, isSeen)
  const rows = useMemo(
    () => toRows({ messages, hasOlder, firstNew }, unsent),
    [timeline, firstNew, outbox.entries.value],
  )
  const { virtual, items, focus, ...focusEvents } = useVirtualRows(roomId, { log, list }, { rows, hasNewer })
  useMessageStops(log)
  reading.current = () => (virtual.isAtEnd.peek() && !hasNewer ? undefined : virtual.inMiddle())
  const newest = messages.at(-1)
  const isWhole = timeline !== undefined && !timeline.isStale && !hasNewer
  useAcknowledge(roomId, lastIdIn(roomId, newest), virtual.isAtEnd.value && isWhole)
  useEffect(() => onLeaving(() => reading.current() ?? atEnd), [])
  const nearest = isGoalGone ? nearestTo(goal ?? '', messages) : undefined
  const first = useMemo(() => ({ goal: nearest ?? goal }), [visit, nearest])
  useFirstPosition(rows, virtual, { isLoaded: timeline !== undefined, hasNewer, first })
  const toPresent = () => {
    if (hasNewer) void loadNewest(roomId).then(virtual.toEnd, () => {})
    virtual.toEnd()
  }
  useOwnAtEnd(unsent.length, toPresent)

  const hasFailed = timeline === undefined && failure !== undefined

  const loadMore = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = log.current ?? {}
    if (hasOlder && scrollTop < nearPx) loadOlder(roomId).catch(() => {})
    if (hasNewer && scrollHeight - scrollTop - clientHeight < nearPx) loadNewer(roomId).catch(() => {})
  }
  useEffect(() => {
    if (virtual.isAtEnd.peek()) forgetOldest(roomId)
    if (timeline) rescueEdits(roomId, timeline)
    loadMore()
  }, [timeline, connections.value])

  return (
    <div class="timeline">
      <div
        ref={log}
        class="log"
        role="log"
        aria-label={t().messagesIn(name)}
        aria-busy={timeline === undefined && !hasFailed}
        // Rows come and go while one scrolls: what is new is read out by the announcer.
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
        onScroll={() => {
          virtual.note()
          loadMore()
        }}
        onKeyDown={(event) => {
          moveByMessage(event, { ...virtual, rows, focus })
          if (event.key === 'Escape') markRead()
        }}
        {...focusEvents}
      >
        <div ref={list} class="log-rows">
          {!hasFailed && (
            <Beginning
              isLoaded={timeline !== undefined}
              hasOlder={hasOlder}
              isEmpty={!newest}
              roomId={roomId}
            />
          )}
          {items.map(({ key, index }) => (
            <div key={key} class="log-row" data-index={index}>
              <RowContent row={rows[index]} target={target} />
            </div>
          ))}
        </div>
      </div>
      {hasFailed && <NotLoaded failure={failure} retry={retry} />}
      {isGoalGone && goal === target && (
        <p class="target-gone muted" role="alert">
          {t().errors.message_not_found}
        </p>
      )}
      <Announcer roomId={roomId} />
      <div class="timeline-end">
        <TimelineAnnouncement />
        <Pill
          isShown={!virtual.isAtEnd.value || hasNewer}
          messages={messages}
          hasNewer={hasNewer}
          readUpTo={store.readStates.value[roomId]?.message_id ?? '0'}
          act={toPresent}
        />
      </div>
    </div>
  )
}

function RowContent({ row, target }: { row: Row | undefined; target: string | undefined }) {
  const me = store.me.value
  switch (row?.kind) {
    case 'message': {
      const { message, isFollowing } = row
      return <MessageRow message={message} isFollowing={isFollowing} isTarget={message.id === target} />
    }
    case 'unsent':
      return me ? <Unsent entry={row.entry} author={me} isFollowing={row.isFollowing} /> : null
    case 'day':
      return (
        <>
          <h2 class="day">{dayText(row.day)}</h2>
          {row.isNew && <NewMark />}
        </>
      )
    case 'new':
      return <NewMark />
    default:
      return null
  }
}

function NewMark() {
  return <p class="new-mark">{t().newMark}</p>
}

type First = { isLoaded: boolean; hasNewer: boolean; first: { goal: string | undefined } }

/** Begins where the visit leads to, else where one left, else at what is new, else at the end. */
function useFirstPosition(rows: readonly Row[], virtual: VirtualRows, { first, ...known }: First): void {
  const { goal } = first
  const wanted = goal === undefined ? 'new' : first
  const shown = useRef<First['first'] | 'new' | undefined>(virtual.isBack ? 'new' : undefined)
  const find = () => (goal === undefined ? newIndex(rows) : rows.findIndex(({ key }) => key === goal))
  const index = shown.current === wanted ? -1 : find()
  const isAtGoal = known.isLoaded && (goal === undefined || (goal === atEnd && !known.hasNewer))
  useLayoutEffect(() => {
    if (index >= 0) virtual.show(index)
    else if (isAtGoal && goal === atEnd && shown.current !== wanted) virtual.toEnd()
    if (index >= 0 || isAtGoal) shown.current = wanted
  }, [isAtGoal, wanted, index >= 0])
}

/** Calls back when one has written something. */
function useOwnAtEnd(count: number, callback: () => void): void {
  const before = useRef(count)
  useLayoutEffect(() => {
    if (count > before.current) callback()
    before.current = count
  }, [count])
}

/** The last message that there was in a room: one may have been newer than those that are left. */
function lastIdIn(roomId: string, newest: Message | undefined): string | undefined {
  const last = store.rooms.value[roomId]?.last_message_id ?? undefined
  return newest && compareIds(newest.id, last ?? '0') > 0 ? newest.id : last
}

/** The message nearest to where one that is gone was. */
function nearestTo(id: string, messages: readonly Message[]): string | undefined {
  return (messages.find((each) => compareIds(each.id, id) > 0) ?? messages.at(-1))?.id
}

/** Says why there are no messages to see. */
function NotLoaded({ failure, retry }: { failure: unknown; retry: () => void }) {
  const isRefused = failure instanceof ApiError && (failure.status === 403 || failure.status === 404)
  return (
    <div class="not-loaded" role="alert">
      <p>{isRefused ? t().roomGone : errorText(failure)}</p>
      <button type="button" onClick={retry}>
        {t().tryAgain}
      </button>
    </div>
  )
}

type BeginningProps = { isLoaded: boolean; hasOlder: boolean; isEmpty: boolean; roomId: string }

function Beginning({ isLoaded, hasOlder, isEmpty, roomId }: BeginningProps) {
  const room = store.rooms.value[roomId]
  const isWithOne = room?.house_id === null && !isGroup(room)
  const beginning = isWithOne ? t().beginningWith : t().beginning
  const atStart = isEmpty ? t().nobodyWrote : beginning(room ? roomName(room) : '')
  const text = hasOlder ? t().loadingOlder : atStart
  return (
    <p class="muted beginning">
      <span>{isLoaded ? text : t().loading}</span>
    </p>
  )
}
