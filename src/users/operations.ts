import { changedFields } from '../database/changed-fields.ts'
import { type Db, violates } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { type Change, commit, type Outcome } from '../events/commit.ts'
import type { HearthEvent } from '../events/events.ts'
import { listHouseIds } from '../houses/queries.ts'
import { isId } from '../ids.ts'
import { type Picture, pictureName, readHeader, readIcon } from '../images/picture.ts'
import { cancelDiscard, discardFiles, saveFile } from '../storage/discard.ts'
import type { Store } from '../storage/store.ts'
import { isReserved } from './permissions.ts'
import {
  type FullUserRow,
  findUser,
  findUserByUsername,
  lockUser,
  type UserChanges,
  updateUser,
} from './queries.ts'
import type { EditUser } from './schemas.ts'

/**
 * The user that an id or a username means, with or without a leading `@`, or undefined (docs/api.md#users). Text that
 * can be no username is not even asked for: the database could not take all of it.
 */
export async function findUserByRef(db: Db, ref: string): Promise<FullUserRow | undefined> {
  const name = ref.replace(/^@/, '').toLowerCase()
  const byId = isId(name) ? await findUser(db, name) : undefined
  if (byId || !/^[a-z0-9_.-]{1,64}$/.test(name)) return byId
  return findUserByUsername(db, name)
}

/**
 * Edits a user, a bot likewise, and of a bot also whether it is public (docs/api.md#users). Undefined for an account
 * that is gone; nothing happens where nothing is different. Throws `invalid_header_file_format`,
 * `invalid_icon_file_format`, `payload_too_large`, `username_taken`, and as `keepFiles`.
 */
export async function editUser(
  db: Db,
  store: Store,
  userId: string,
  fields: EditUser & { public?: boolean },
): Promise<Outcome<EditedUser> | undefined> {
  const { header, icon, ...texts } = fields
  const pictures = {
    header: header == null ? header : await readHeader(header, userId),
    icon: icon == null ? icon : await readIcon(icon, userId),
  }
  const username = texts.username?.toLowerCase()
  if (username !== undefined) await refuseTaken(db, userId, username)
  await savePictures(db, store, userId, pictures)
  const wanted = { ...texts, username, header: fileOf(pictures.header), icon: fileOf(pictures.icon) }
  try {
    return await commit(db, (trx) => applyEdit(trx, userId, wanted))
  } catch (error) {
    throw violates(error, 'users_username_unique') ? new ApiError('username_taken') : error
  }
}

/** The user's present username is not taken, even if it is reserved. Races are settled by the constraint. */
async function refuseTaken(db: Db, userId: string, username: string): Promise<void> {
  const holder = await findUserByUsername(db, username)
  const taken = holder ? holder.id !== userId : isReserved(username)
  if (taken) throw new ApiError('username_taken')
}

/** A new picture; null removes the present one, undefined leaves it. */
type Sent = Picture | null | undefined

function fileOf(picture: Sent): string | null | undefined {
  return picture == null ? picture : picture.file
}

async function savePictures(db: Db, store: Store, userId: string, pictures: { header: Sent; icon: Sent }) {
  const { header, icon } = pictures
  if (header) await saveFile(db, store, pictureName('users/headers', userId, header.file), header.content)
  if (icon) await saveFile(db, store, pictureName('users/icons', userId, icon.file), icon.content)
}

type EditedUser = FullUserRow & { public: boolean }

async function applyEdit(
  trx: Db,
  userId: string,
  wanted: UserChanges,
): Promise<Change<EditedUser> | undefined> {
  const before = await lockUser(trx, userId)
  if (!before) return undefined
  const changes = changedFields(wanted, before)
  if (Object.keys(changes).length > 0) {
    await updateUser(trx, userId, changes)
    await cancelDiscard(trx, pictureNames(userId, changes))
    await discardFiles(trx, pictureNames(userId, changedFields(before, { ...before, ...changes })))
  }
  const { public: _, ...changedProfile } = changes
  const events = Object.keys(changedProfile).length > 0 ? await updatesOf(trx, userId) : []
  return { answer: { ...before, ...changes }, events }
}

/** The names in the store of a user's pictures. */
export function pictureNames(
  userId: string,
  { header, icon }: Pick<UserChanges, 'header' | 'icon'>,
): string[] {
  return [
    ...(header ? [pictureName('users/headers', userId, header)] : []),
    ...(icon ? [pictureName('users/icons', userId, icon)] : []),
  ]
}

/** The events of a changed profile: for all who know the user, and for each of their houses. */
async function updatesOf(trx: Db, user_id: string): Promise<HearthEvent[]> {
  const houses = await listHouseIds(trx, user_id)
  return [
    { type: 'user_updated', user_id, only_self: false },
    ...houses.map((house_id): HearthEvent => ({ type: 'member_updated', house_id, user_id })),
  ]
}
