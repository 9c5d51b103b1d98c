import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** A message that may concern somebody who is not online. */
export type MessageToPush = {
  id: string
  room_id: string
  author_id: string
  /** The users to ask about. */
  user_ids: readonly string[]
  /** Those of all whom it mentions. */
  mentioned_ids: readonly string[]
  /** Whether to ask about everybody in its private room, too. */
  asks_recipients: boolean
}

/** Somebody who wants to be notified of a message: `place` is that of the message in the list, from 0. */
export type RecipientRow = {
  place: number
  user_id: string
  room_name: string | null
  house_name: string | null
}

/**
 * Those of the users asked about who have a subscription and whose settings, overrides and blocks let a message through.
 * A house room notifies of mentions, a private room of everything, unless the user has set less.
 */
export async function listRecipients(db: Db, messages: readonly MessageToPush[]): Promise<RecipientRow[]> {
  const named = messages.flatMap(({ user_ids }, place) => user_ids.map((user_id) => ({ place, user_id })))
  const mentions = messages.flatMap(({ mentioned_ids }, place) =>
    mentioned_ids.map((user_id) => ({ place, user_id })),
  )
  const places = (of: readonly { place: number }[]) => of.map(({ place }) => place)
  const users = (of: readonly { user_id: string }[]) => of.map(({ user_id }) => user_id)
  const { rows } = await sql<RecipientRow>`
    with messages as materialized (
      select place::int - 1 as place, room_id, author_id, asks_recipients
      from unnest(${messages.map(({ room_id }) => room_id)}::bigint[],
        ${messages.map(({ author_id }) => author_id)}::bigint[],
        ${messages.map(({ asks_recipients }) => asks_recipients)}::boolean[])
        with ordinality as messages (room_id, author_id, asks_recipients, place)
    ), asked as (
      select place, user_id from unnest(${places(named)}::int[], ${users(named)}::bigint[]) as named (place, user_id)
      union
      select place, user_id from messages join room_recipients on room_recipients.room_id = messages.room_id
      where asks_recipients
    ), mentions as materialized (
      select * from unnest(${places(mentions)}::int[], ${users(mentions)}::bigint[]) as mentions (place, user_id)
    )
    select asked.place, asked.user_id, rooms.name as room_name, houses.name as house_name
    from asked join messages on messages.place = asked.place
    join rooms on rooms.id = messages.room_id left join houses on houses.id = rooms.house_id
    left join settings on settings.user_id = asked.user_id
    left join room_settings on room_settings.user_id = asked.user_id and room_settings.room_id = messages.room_id
    where asked.user_id <> author_id
      and exists (select from push_subscriptions where push_subscriptions.user_id = asked.user_id)
      and enable_desktop_notifications is not false
      and case coalesce(notification_preference, case when rooms.house_id is null then 0 else 1 end)
        when 0 then true
        when 1 then exists (select from mentions where mentions.place = asked.place and mentions.user_id = asked.user_id)
        else false end
      and not exists (select from blocks where blocks.user_id = asked.user_id and target_id = author_id)`.execute(
    db,
  )
  return rows
}

/** The newest message of a room that a user is pushed, and how many are. */
export type PushedRoom = { user_id: string; room_id: string; message_id: string; count: number }

/** Notes what is pushed, a row for a user and room. Returns all that is since they were last read there. */
export async function notePushed(db: Db, pushed: readonly PushedRoom[]): Promise<PushedRoom[]> {
  const column = <Name extends keyof PushedRoom>(name: Name) => pushed.map((one) => one[name])
  const { rows } = await sql<PushedRoom>`
    with present as materialized (
      select id from rooms where id = any(${column('room_id')}::bigint[]) order by id for key share
    ), states as materialized (${readStatesOf(column('user_id'), column('room_id'))})
    insert into pushed_rooms as earlier (user_id, room_id, message_id, count)
    select user_id, room_id, message_id, count
    from unnest(${column('user_id')}::bigint[], ${column('room_id')}::bigint[], ${column('message_id')}::bigint[],
      ${column('count')}::int[]) as pushed (user_id, room_id, message_id, count)
    where room_id in (select id from present) and not exists (
      select 1 from states where states.user_id = pushed.user_id and states.room_id = pushed.room_id
        and states.message_id >= pushed.message_id)
    order by room_id, user_id
    on conflict (user_id, room_id) do update
      set message_id = greatest(earlier.message_id, excluded.message_id), count = earlier.count + excluded.count
    returning user_id, room_id, message_id, count`.execute(db)
  return rows
}

/** The statement for the read states of users in rooms, pairwise. */
function readStatesOf(userIds: readonly string[], roomIds: readonly string[]) {
  return sql`
    select read_states.user_id, read_states.room_id, read_states.message_id
    from unnest(${userIds}::bigint[], ${roomIds}::bigint[]) as asked (user_id, room_id)
    join read_states on read_states.user_id = asked.user_id and read_states.room_id = asked.room_id`
}

/** A room of which notifications are to be closed. */
export type ClosedRoom = { user_id: string; room_id: string; message_id: string }

/** Takes back what was pushed to users in rooms and is read by now. Each room is returned to one caller only. */
export async function takeRead(
  db: Db,
  rooms: readonly { user_id: string; room_id: string }[],
): Promise<ClosedRoom[]> {
  const [userIds, roomIds] = [rooms.map(({ user_id }) => user_id), rooms.map(({ room_id }) => room_id)]
  const { rows } = await sql<ClosedRoom>`
    with states as materialized (${readStatesOf(userIds, roomIds)} order by room_id, user_id), read as (
      select pushed.user_id, pushed.room_id from states cross join lateral (
        select user_id, room_id from pushed_rooms
        where pushed_rooms.user_id = states.user_id and pushed_rooms.room_id = states.room_id
          and states.message_id >= pushed_rooms.message_id for update
      ) as pushed
    )
    delete from pushed_rooms using read
    where pushed_rooms.user_id = read.user_id and pushed_rooms.room_id = read.room_id
    returning pushed_rooms.user_id, pushed_rooms.room_id, message_id`.execute(db)
  return rows
}

/** Takes back what was pushed of messages that are deleted, where no newer one was pushed. As `takeRead`. */
export async function takeDeleted(
  db: Db,
  messages: readonly { room_id: string; message_id: string }[],
): Promise<ClosedRoom[]> {
  const { rows } = await sql<ClosedRoom>`
    with deleted as (
      select user_id, pushed_rooms.room_id
      from unnest(${messages.map(({ room_id }) => room_id)}::bigint[],
        ${messages.map(({ message_id }) => message_id)}::bigint[]) as asked (room_id, message_id)
      join pushed_rooms on pushed_rooms.room_id = asked.room_id and pushed_rooms.message_id = asked.message_id
      order by room_id, user_id for update of pushed_rooms
    )
    delete from pushed_rooms using deleted
    where pushed_rooms.user_id = deleted.user_id and pushed_rooms.room_id = deleted.room_id
    returning pushed_rooms.user_id, pushed_rooms.room_id, message_id`.execute(db)
  return rows
}
