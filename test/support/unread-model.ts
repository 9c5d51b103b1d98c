import type { Frame } from './gateway.ts'

// biome-ignore lint/suspicious/noExplicitAny: payloads are what they are; their keys are held elsewhere
type Json = any

type Room = {
  house_id: string | null
  acked: string | null
  /** Messages that mention oneself: id → author. */
  mentions: Map<string, string>
  /** The last message when the room came into sight: of those after it, all are known. */
  since: bigint
  messages: Map<string, string>
}

/**
 * The messages and read states of a client, updated by events only. The unread messages of a room that becomes visible
 * later have to be requested (`stale`).
 */
export class UnreadModel {
  readonly userId: string
  readonly rooms = new Map<string, Room>()
  readonly stale = new Set<string>()
  /** Whose mentions do not count: the blocked and the restricted. */
  readonly #unheard = new Set<string>()
  readonly #gone = new Set<string>()

  constructor(userId: string) {
    this.userId = userId
  }

  apply({ e, d }: Frame): void {
    if (e === 'INIT_STATE') for (const room of d.private_rooms) this.#enter(room, null)
    else if (e === 'HOUSE_JOIN') for (const room of d.rooms) this.#enter(room, d.id)
    else if (e === 'ROOM_CREATE') this.#enter(d, d.house_id)
    else if (e === 'ROOM_DELETE') this.#leave(d.id)
    else if (e === 'HOUSE_LEAVE' || e === 'HOUSE_DOWN') this.#leaveHouse(d.house_id)
    else if (e === 'RELATIONSHIP_UPDATE') this.#relation(d)
    else if (e === 'READ_STATE_UPDATE') this.#ack(d.room_id, d.message_id)
    else if (e === 'MESSAGE_CREATE' || e === 'MESSAGE_UPDATE') this.#message(e, d)
    else if (e === 'MESSAGE_DELETE') this.#delete(d)
  }

  /** Takes over what was asked for about the rooms that came into sight. */
  refresh(readStates: Json, mentions: readonly Json[]): void {
    for (const id of this.stale) {
      const room = this.rooms.get(id)!
      const { message_id } = readStates[id] ?? {}
      room.acked = message_id === undefined || message_id === '0' ? null : message_id
      const here = mentions.filter((message) => message.room_id === id)
      room.mentions = new Map(here.map((message) => [message.id, message.author_id]))
    }
    this.stale.clear()
  }

  /** As in INIT_STATE and over HTTP. */
  get readStates(): Json {
    const states = [...this.rooms].flatMap(([id, { acked, mentions }]) => {
      const counting = [...mentions].filter(([messageId, author]) => {
        const isNew = acked === null || BigInt(messageId) > BigInt(acked)
        return isNew && author !== this.userId && !this.#unheard.has(author)
      })
      if (acked === null && counting.length === 0) return []
      return [[id, { message_id: acked ?? '0', mention_count: counting.length }]]
    })
    return Object.fromEntries(states)
  }

  /** The messages of a room since it came into sight that are not older than an id, oldest first, as id and content. */
  messagesFrom(roomId: string, oldest: bigint): [string, string][] {
    const room = this.rooms.get(roomId)!
    const messages = [...room.messages].filter(([id]) => BigInt(id) >= oldest)
    return messages.sort(([one], [other]) => (BigInt(one) < BigInt(other) ? -1 : 1))
  }

  #enter({ id, last_message_id }: Json, house_id: string | null): void {
    const since = BigInt(last_message_id ?? 0)
    this.rooms.set(id, { house_id, acked: null, mentions: new Map(), since, messages: new Map() })
    this.stale.add(id)
  }

  #leave(id: string): void {
    this.rooms.delete(id)
    this.stale.delete(id)
  }

  #leaveHouse(houseId: string): void {
    for (const [id, room] of this.rooms) if (room.house_id === houseId) this.#leave(id)
  }

  /** The list of mentions omits those that were not received: it has to be read again. */
  #relation({ user_id, type }: Json): void {
    if (type >= 4) this.#unheard.add(user_id)
    else if (this.#unheard.delete(user_id)) for (const id of this.rooms.keys()) this.stale.add(id)
  }

  #ack(roomId: string, id: string): void {
    const room = this.rooms.get(roomId)
    if (room && BigInt(id) > BigInt(room.acked ?? 0)) room.acked = id
  }

  #message(e: string, d: Json): void {
    const room = this.rooms.get(d.room_id)!
    if (this.#gone.has(d.id)) return
    const isMentioned = d.mentions.some((user: Json) => user.id === this.userId)
    if (isMentioned) room.mentions.set(d.id, d.author_id)
    else room.mentions.delete(d.id)
    if (BigInt(d.id) > room.since) room.messages.set(d.id, d.content)
    if (e === 'MESSAGE_CREATE' && d.author_id === this.userId) this.#ack(d.room_id, d.id)
  }

  #delete({ id, room_id }: Json): void {
    this.#gone.add(id)
    this.rooms.get(room_id)!.mentions.delete(id)
    this.rooms.get(room_id)!.messages.delete(id)
  }
}
