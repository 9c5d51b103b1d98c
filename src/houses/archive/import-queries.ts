import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import type {
  Bans,
  Entities,
  EntityRooms,
  MemberRoles,
  Members,
  Roles,
  Rooms,
  Users,
} from '../../database/schema.ts'

/**
 * Which of these ids rows of a table have; of rooms also those whose messages are still to be deleted, and of houses
 * those whose audit log is.
 */
export async function listTakenIds(
  db: Db,
  table: 'users' | 'houses' | 'rooms' | 'roles' | 'entities',
  ids: readonly string[],
): Promise<string[]> {
  const removed: { [table: string]: RawBuilder<unknown> } = {
    rooms: sql`union select room_id from removed_rooms where room_id = any(${ids}::bigint[])`,
    houses: sql`union select house_id from audit_log where house_id = any(${ids}::bigint[])`,
  }
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where id = any(${ids}::bigint[]) ${removed[table] ?? sql``}`.execute(
    db,
  )
  return rows.map((row) => row.id)
}

/** Which of these usernames are in use. */
export async function listTakenUsernames(db: Db, usernames: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ username: string }>`
    select username from users where username = any(${usernames}::text[])`.execute(db)
  return rows.map((row) => row.username)
}

/** The accounts with these e-mail addresses, which are in lower case. */
export async function listAccountsByEmail(
  db: Db,
  emails: readonly string[],
): Promise<{ id: string; email: string; email_verified: boolean }[]> {
  const { rows } = await sql<{ id: string; email: string; email_verified: boolean }>`
    select id, lower(email) as email, email_verified from users
    where lower(email) = any(${emails}::text[]) and deleted_at is null`.execute(db)
  return rows
}

type Rows = {
  users: Insertable<Users>
  rooms: Insertable<Rooms>
  roles: Insertable<Roles>
  entities: Insertable<Entities>
  entity_rooms: Insertable<EntityRooms>
  members: Insertable<Members>
  member_roles: Insertable<MemberRoles>
  bans: Insertable<Bans>
}
const rowsAtOnce = 1_000
/** The ids that a node has in a millisecond. */
const idsOfNode = 4_096

/** Adds rows to a table. */
export async function insertImported<Table extends keyof Rows>(
  db: Db,
  table: Table,
  rows: readonly Rows[Table][],
): Promise<void> {
  for (let first = 0; first < rows.length; first += rowsAtOnce) {
    const batch = JSON.stringify(rows.slice(first, first + rowsAtOnce))
    const columns = sql.join(Object.keys(rows[first]!).map((name) => sql.ref(name)))
    await sql`
      insert into ${sql.table(table)} (${columns})
      select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${batch}::json)`.execute(db)
  }
}

/** A message before it has its place. */
export type StagedMessage = {
  room_id: string
  house_id: string
  id: string
  author_id: string
  device_id: string
  content: string
  mentions: readonly string[]
  edited_at: string | null
  attachment: object | null
  reply_to: string | null
  reply_mention: string | null
  pinned_at: string | null
}

/** A reaction to a staged message, which has the id of the archive. */
export type StagedReaction = {
  room_id: string
  message_id: string
  emoji: string
  user_id: string
  place: number
}

/** Makes the tables of staged messages and reactions, for the rest of the transaction. */
export async function createStage(trx: Db): Promise<void> {
  await sql`
    create temporary table staged_messages (
      room_id bigint not null, house_id bigint not null, id bigint primary key, archived_id bigint not null unique,
      author_id bigint not null, device_id bigint not null, content text not null, mentions bigint[] not null,
      edited_at timestamptz, attachment jsonb, reply_to bigint, reply_mention bigint, pinned_at timestamptz
    ) on commit drop`.execute(trx)
  await sql`
    create temporary table staged_reactions (
      room_id bigint not null, message_id bigint not null, emoji text not null, user_id bigint not null,
      place integer not null, primary key (message_id, emoji, user_id)
    ) on commit drop`.execute(trx)
}

/** Stages messages. Returns false where one has an id that another has. */
export async function stageMessages(trx: Db, messages: readonly StagedMessage[]): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into staged_messages
    select room_id, house_id, id, id, author_id, device_id, content, mentions, edited_at, attachment, reply_to,
      reply_mention, pinned_at
    from json_populate_recordset(null::staged_messages, ${JSON.stringify(messages)}::json)
    on conflict do nothing`.execute(trx)
  return Number(numAffectedRows) === messages.length
}

/** Stages reactions. Of two by one user with one emoji the first counts. */
export async function stageReactions(trx: Db, reactions: readonly StagedReaction[]): Promise<void> {
  await sql`
    insert into staged_reactions
    select * from json_populate_recordset(null::staged_reactions, ${JSON.stringify(reactions)}::json)
    on conflict do nothing`.execute(trx)
}

/** What is staged: reactions to no message of their room, and the most emoji of a message and pins of a room. */
export async function countStaged(
  trx: Db,
): Promise<{ lost_reactions: number; emojis: number; pins: number }> {
  const { rows } = await sql<{ lost_reactions: number; emojis: number; pins: number }>`
    select (
      select count(*)::int from staged_reactions as reactions left join staged_messages as messages
        on archived_id = message_id and messages.room_id = reactions.room_id
      where archived_id is null
    ) as lost_reactions, (
      select coalesce(max(emojis), 0)::int from (
        select count(distinct emoji) as emojis from staged_reactions group by message_id
      ) as counted
    ) as emojis, (
      select coalesce(max(pins), 0)::int
      from (select count(pinned_at) as pins from staged_messages group by room_id) as counted
    ) as pins`.execute(trx)
  return rows[0]!
}

/**
 * Gives the staged messages whose id is taken another one of the same millisecond, by a node number, as far as that has
 * free ones among what is staged. Returns how many were taken.
 */
export async function moveTakenMessages(trx: Db, node: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      select id, row_number() over (partition by id >> 22 order by id) - 1 as place
      from staged_messages where id in (
        select messages.id from messages where messages.id = any(array(select id from staged_messages)))
    ), wanted as (
      select id as old_id, (id >> 22 << 22) | (${node}::bigint << 12) | place as id
      from taken where place < ${idsOfNode}
    ), moved as (
      update staged_messages as staged set id = wanted.id from wanted
      where staged.id = wanted.old_id and not exists (select from staged_messages where id = wanted.id)
    )
    select count(*)::int as taken from taken`.execute(trx)
  return rows[0]!.taken
}

/** Puts the staged messages into their rooms with reactions and pins. All members have read them. */
export async function placeMessages(trx: Db, houseId: string): Promise<void> {
  await sql`
    insert into messages (
      room_id, house_id, id, author_id, device_id, content, mentions, edited_at, attachment, reply_to, reply_mention
    )
    select staged.room_id, staged.house_id, staged.id, staged.author_id, staged.device_id, staged.content,
      staged.mentions, staged.edited_at, staged.attachment, coalesce(answered.id, staged.reply_to), staged.reply_mention
    from staged_messages as staged left join staged_messages as answered
      on answered.archived_id = staged.reply_to and answered.room_id = staged.room_id`.execute(trx)
  await sql`
    insert into pins (room_id, message_id, pinned_at)
    select room_id, id, pinned_at from staged_messages where pinned_at is not null`.execute(trx)
  await sql`
    insert into reactions (room_id, message_id, emoji, user_id)
    select reactions.room_id, id, emoji, user_id
    from staged_reactions as reactions join staged_messages on archived_id = message_id`.execute(trx)
  await sql`
    insert into reaction_counts (room_id, message_id, emoji, count, place)
    select reactions.room_id, id, emoji, count(*), row_number() over (partition by id order by min(place), emoji)
    from staged_reactions as reactions join staged_messages on archived_id = message_id
    group by reactions.room_id, id, emoji`.execute(trx)
  await sql`
    insert into mentions (user_id, message_id, room_id, author_id)
    select distinct mentioned.id, staged.id, room_id, author_id
    from staged_messages as staged cross join unnest(mentions) as mentioned (id)`.execute(trx)
  await sql`
    update room_heads set last_message_id = newest.id
    from (select room_id, max(id) as id from staged_messages group by room_id) as newest
    where room_heads.room_id = newest.room_id`.execute(trx)
  await sql`
    insert into read_states (user_id, room_id, message_id)
    select user_id, room_id, newest.id
    from (select room_id, max(id) as id from staged_messages group by room_id) as newest
    cross join members where members.house_id = ${houseId}`.execute(trx)
}
