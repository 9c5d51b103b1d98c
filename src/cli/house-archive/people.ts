import type { Db } from '../../database/client.ts'
import {
  insertImported,
  listAccountsByEmail,
  listTakenUsernames,
} from '../../houses/archive/import-queries.ts'
import { isReserved } from '../../users/permissions.ts'
import type { User } from './format.ts'
import { allocateIds, mustHave } from './ids.ts'

/** The people of an archive on this server: the id of each, and those who were here before. */
export type People = { ids: ReadonlyMap<string, string>; present: ReadonlySet<string> }

const maxUsernameLength = 32

/**
 * Makes an account for everybody who is named in an archive: with the old id, username and e-mail address where these
 * are free, and without a password, so that the owner of the address claims it by setting one. `isLinking`: an account
 * that has proven the same address is that person. Bots belong to their owners, else to the owner of the house.
 */
export async function importPeople(
  trx: Db,
  users: readonly User[],
  { isLinking, ownerId }: { isLinking: boolean; ownerId: string },
): Promise<People> {
  const emails = users.flatMap(({ email }) => email?.toLowerCase() ?? [])
  const accounts = new Map((await listAccountsByEmail(trx, emails)).map((row) => [row.email, row]))
  const linked = new Map<string, string>()
  for (const { id, email } of users) {
    const account = isLinking && email !== null ? accounts.get(email.toLowerCase()) : undefined
    if (account?.email_verified) linked.set(id, account.id)
  }
  const made = users.filter(({ id }) => !linked.has(id))
  const ids = new Map([...linked, ...(await allocateIds(trx, 'users', made))])
  const usernames = await freeUsernames(trx, made)
  const rows = made.map((user) => {
    const id = ids.get(user.id)!
    const { name, bot, bio, location, website, is_deleted } = user
    const address = user.email?.toLowerCase()
    const isFree = address !== undefined && !bot && !is_deleted && !accounts.has(address)
    // Of two with one address, as only a hostile archive has, the first has it.
    if (isFree) accounts.set(address, { id, email: address, email_verified: false })
    return {
      id,
      username: is_deleted ? `deleted-${id}` : usernames.get(user.id)!,
      name,
      bot,
      owner_id: bot ? (ids.get(user.owner_id ?? '') ?? mustHave(ids, ownerId, 'user')) : null,
      bio,
      location,
      website,
      email: isFree ? user.email : null,
      deleted_at: is_deleted ? new Date() : null,
    }
  })
  // Bots after those whom they belong to.
  const defaults = {
    flags: 0,
    public: false,
    email_verified: false,
    mfa_enabled: false,
    totp_earlier_steps: [],
  }
  const complete = rows.map((row) => ({ ...defaults, ...row }))
  await insertImported(
    trx,
    'users',
    complete.filter(({ bot }) => !bot),
  )
  await insertImported(
    trx,
    'users',
    complete.filter(({ bot }) => bot),
  )
  return { ids, present: new Set(linked.values()) }
}

async function freeUsernames(trx: Db, users: readonly User[]): Promise<Map<string, string>> {
  const wanted = users.map(({ username }) => username)
  const taken = new Set(await listTakenUsernames(trx, wanted))
  const chosen = new Map<string, string>()
  const isFree = (name: string) => !taken.has(name) && !isReserved(name) && !/^[0-9]+$/.test(name)
  for (const { id, username } of users) {
    let name = username
    for (let number = 2; !isFree(name); number += 1) {
      const ending = `-${number}`
      name = `${username.slice(0, maxUsernameLength - ending.length)}${ending}`
      for (const each of await listTakenUsernames(trx, [name])) taken.add(each)
    }
    taken.add(name)
    chosen.set(id, name)
  }
  return chosen
}
