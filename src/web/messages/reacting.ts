import { permission } from '../../houses/permissions.ts'
import { mayInRoom } from '../rooms/permissions.ts'
import { api } from '../session.ts'
import { reducers } from '../state/reducers/index.ts'
import type { Message } from '../state/state.ts'
import { change, currentState, store } from '../state/store.ts'

export function mayReact({ room_id }: Message): boolean {
  const room = store.rooms.value[room_id]
  return room !== undefined && mayInRoom(room, permission.SEND_MESSAGES)
}

/** So many emoji a message has reactions with at most. */
const mostEmoji = 20

/** Whether one may react to it with an emoji that it does not have yet. */
export function mayReactAnew(message: Message): boolean {
  return mayReact(message) && (message.reactions ?? []).length < mostEmoji
}

const oneEmoji = /^\p{RGI_Emoji}$/v

/** An emoji as the server takes it: with the variation selector exactly where Unicode has it. */
export function asReaction(text: string): string {
  const bare = text.replaceAll('\uFE0F', '')
  return [text, bare, `${bare}\uFE0F`].find((each) => oneEmoji.test(each)) ?? text
}

/** Reacts to a message, or takes that back. It is seen at once; what the server refuses is undone. */
export async function react(message: Message, emoji: string, added: boolean): Promise<void> {
  const params = { id: message.room_id, message_id: message.id, emoji }
  show(message, emoji, added)
  try {
    const { count, me } = await api.call(added ? 'addReaction' : 'removeReaction', { params })
    show(message, emoji, me, count)
  } catch (error) {
    show(message, emoji, !added)
    throw error
  }
}

/** Shows the own reaction set or not; without a count one more or less than now. */
function show({ id: message_id, room_id }: Message, emoji: string, added: boolean, count?: number): void {
  const me = store.me.peek()
  const present = store.timelines.peek()[room_id]?.messages.find(({ id }) => id === message_id)
  const known = present?.reactions?.find((each) => each.emoji === emoji)
  if (!me || !present || (count === undefined && (known?.me ?? false) === added)) return
  const next = count ?? (known?.count ?? 0) + (added ? 1 : -1)
  const d = { room_id, house_id: null, message_id, emoji, user_id: me.id, added, count: next }
  change(reducers.REACTION_UPDATE(currentState(), d, Date.now()))
}

type Reactors = { limit: number; before?: string | undefined }

/** A page of those who reacted to a message with an emoji, with their present names. */
export async function listReactors({ id: message_id, room_id: id }: Message, emoji: string, page: Reactors) {
  const { limit, before } = page
  const query = { limit, ...(before !== undefined && { before }) }
  const users = await api.call('listReactionUsers', { params: { id, message_id, emoji }, query })
  return users.map((user) => store.users.peek()[user.id] ?? user)
}
