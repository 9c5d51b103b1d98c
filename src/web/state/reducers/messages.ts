import type { Events } from '../../../client/events.ts'
import { type Message, normalizeMessage } from '../../../client/messages.ts'
import { compareIds, put, without } from '../records.ts'
import { isIgnored } from '../relationships.ts'
import type { ReadState, Reducer, ReplyTo, Room, State, Timeline } from '../state.ts'
import { withMessage } from '../timeline.ts'

export function messageCreate(state: State, d: Events['MESSAGE_CREATE']): Partial<State> {
  const message = normalizeMessage(d)
  const { room_id, author_id } = message
  const room = state.rooms[room_id]
  const timeline = state.timelines[room_id]
  const typing = state.typing[room_id]
  return {
    ...(room && { rooms: put(state.rooms, room_id, { ...room, last_message_id: newerId(room, message) }) }),
    ...(timeline && { timelines: put(state.timelines, room_id, appended(timeline, message)) }),
    ...(typing && { typing: put(state.typing, room_id, without(typing, author_id)) }),
    readStates: put(state.readStates, room_id, readAfter(state, message)),
  }
}

/** An event may come twice: what is known never goes back. */
function newerId({ last_message_id }: Room, { id }: Message): string {
  return last_message_id !== null && compareIds(last_message_id, id) > 0 ? last_message_id : id
}

/** Where newer messages are not loaded yet, the new one comes with them. */
function appended(timeline: Timeline, message: Message): Timeline {
  return timeline.hasNewer ? timeline : withMessage(timeline, message)
}

/** One's own message is read; another one counts if it mentions one, unless its author is blocked or restricted. */
function readAfter(state: State, message: Message): ReadState {
  const { me, readStates, recounted } = state
  const before = readStates[message.room_id] ?? { message_id: '0', mention_count: 0 }
  if (compareIds(message.id, before.message_id) <= 0) return before
  if (message.author_id === me?.id) return { message_id: message.id, mention_count: 0 }
  const isMention = message.mentions.some(({ id }) => id === me?.id) && !isIgnored(state, message.author_id)
  const isCounted = recounted?.[message.room_id] === true
  return isMention && !isCounted ? { ...before, mention_count: before.mention_count + 1 } : before
}

export const messageUpdate: Reducer<'MESSAGE_UPDATE'> = ({ timelines }, d) => {
  const message = normalizeMessage(d)
  const timeline = timelines[message.room_id]
  if (!timeline?.messages.some(({ id }) => id === message.id)) return {}
  const quotes = withQuotes(timeline, { ...quoteOf(message), id: message.id })
  return { timelines: put(timelines, message.room_id, withMessage(quotes, message)) }
}

/** So much of a message is quoted. */
const maxQuoteLength = 200

function quoteOf({ author, content }: Message) {
  return { author, content: [...content].slice(0, maxQuoteLength).join('') }
}

export const messageDelete: Reducer<'MESSAGE_DELETE'> = ({ timelines }, { message_id, room_id }) => {
  const timeline = timelines[room_id]
  if (!timeline) return {}
  const messages = timeline.messages.filter(({ id }) => id !== message_id)
  const quotes = withQuotes({ ...timeline, messages }, { id: message_id, author: null, content: null })
  return { timelines: put(timelines, room_id, quotes) }
}

/** The timeline with another quote in the replies to a message. */
function withQuotes(timeline: Timeline, reply_to: ReplyTo): Timeline {
  const isReply = (message: Message) => message.reply_to?.id === reply_to.id
  if (!timeline.messages.some(isReply)) return timeline
  const messages = timeline.messages.map((each) => (isReply(each) ? { ...each, reply_to } : each))
  return { ...timeline, messages }
}

export const reactionUpdate: Reducer<'REACTION_UPDATE'> = (state, d) => {
  const { emoji, count, added, user_id } = d
  return changeMessage(state, d, (message) => {
    const before = message.reactions ?? []
    const known = before.find((each) => each.emoji === emoji)
    const me = user_id === state.me?.id ? added : (known?.me ?? false)
    const reaction = { emoji, count, me }
    const others = before.filter((each) => each !== known)
    if (count === 0) return { ...message, reactions: others }
    if (!known) return { ...message, reactions: [...others, reaction] }
    return { ...message, reactions: before.map((each) => (each === known ? reaction : each)) }
  })
}

export const pinUpdate: Reducer<'PIN_UPDATE'> = (state, { pinned, ...place }) =>
  changeMessage(state, place, (message) => ({ ...message, pinned }))

function changeMessage(
  { timelines }: State,
  { room_id, message_id }: { room_id: string; message_id: string },
  change: (message: Message) => Message,
): Partial<State> {
  const timeline = timelines[room_id]
  if (!timeline?.messages.some(({ id }) => id === message_id)) return {}
  const messages = timeline.messages.map((each) => (each.id === message_id ? change(each) : each))
  return { timelines: put(timelines, room_id, { ...timeline, messages }) }
}
