import { changedFields } from '../database/changed-fields.ts'
import { type Db, violates } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { type Change, commit, type Outcome } from '../events/commit.ts'
import type { HearthEvent } from '../events/events.ts'
import { listHouseIds } from '../houses/queries.ts'
import { isId } from '../ids.ts'
import type { PictureBudget } from '../images/budget.ts'
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
 * The user with this id or username, with or without a leading `@`, or undefined (docs/api.md#users). Text that cannot
 * be a username is not passed to the database, which does not accept every string.
 */
export async function findUserByRef(db: Db, ref: string): Promise<FullUserRow | undefined> {
  const name = ref.replace(/^@/, '').toLowerCase()
  const byId = isId(name) ? await findUser(db, name) : undefined
  if (byId || !/^[a-z0-9_.-]{1,64}$/.test(name)) return byId
  return findUserByUsername(db, name)
}

/**
 * Updates a user or a bot, for which `public` may be set (docs/api.md#users). Undefined for a deleted account; no event
 * if nothing changes. Throws `invalid_header_file_format`, `invalid_icon_file_format`, `payload_too_large`,
 * `username_taken`, and as `renderIcon` and `saveFile`.
 */
export async function editUser(
  db: Db,
  store: Store,
  budget: PictureBudget,
  userId: string,
  fields: EditUser & { public?: boolean },
): Promise<Outcome<EditedUser> | undefined> {
  const { header, icon, ...texts } = fields
  const pictures = {
    header: header == null ? header : await readHeader(header, budget),
    icon: icon == null ? icon : await readIcon(icon, budget),
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

/**
 * Throws `username_taken`, but not for the user's present username, even if it is reserved. The unique constraint
 * decides races.
 */
async function refuseTaken(db: Db, userId: string, username: string): Promise<void> {
  const holder = await findUserByUsername(db, username)
  const taken = holder ? holder.id !== userId : isReserved(username)
  if (taken) throw new ApiError('username_taken')
}

/** A new picture; null removes the present one, undefined keeps it. */
type PictureChange = Picture | null | undefined

function fileOf(picture: PictureChange): string | null | undefined {
  return picture == null ? picture : picture.file
}

async function savePictures(
  db: Db,
  store: Store,
  userId: string,
  pictures: { header: PictureChange; icon: PictureChange },
) {
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
  const events = Object.keys(changedProfile).length > 0 ? await profileEvents(trx, userId) : []
  return { answer: { ...before, ...changes }, events }
}

/** The names of a user's pictures in the store. */
export function pictureNames(
  userId: string,
  { header, icon }: Pick<UserChanges, 'header' | 'icon'>,
): string[] {
  return [
    ...(header ? [pictureName('users/headers', userId, header)] : []),
    ...(icon ? [pictureName('users/icons', userId, icon)] : []),
  ]
}

/** The events of a changed profile: one for the user's contacts, and one for each of their houses. */
async function profileEvents(trx: Db, user_id: string): Promise<HearthEvent[]> {
  const houses = await listHouseIds(trx, user_id)
  return [
    { type: 'user_updated', user_id, only_self: false },
    ...houses.map((house_id): HearthEvent => ({ type: 'member_updated', house_id, user_id })),
  ]
}
