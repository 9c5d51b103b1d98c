import type { Db } from '../../database/client.ts'
import {
  insertImported,
  listAccountsByEmail,
  listTakenUsernames,
} from '../../houses/archive/import-queries.ts'
import { isEmail } from '../../http/schemas/validation.ts'
import { isReserved } from '../../users/permissions.ts'
import { CliError } from '../command.ts'
import { seenName, type User } from './format.ts'
import { allocateIds, mustHave } from './ids.ts'

/** The people of an archive on this server: the id of each, those who were here before, and who owns the house. */
export type People = { ids: ReadonlyMap<string, string>; present: ReadonlySet<string>; ownerId: string }

/** `owner`: who is to own the house here; without them, it is `formerOwner`, an id of the archive. */
type Wanted = { isLinking: boolean; owner: string | undefined; formerOwner: string }

const maxUsernameLength = 32
const maxNumber = 100

/**
 * Makes an account for everybody who is named in an archive: with the old id, username and e-mail address where these
 * are free, and without a password, so that the owner of the address claims it by setting one. `isLinking`: an account
 * that has verified the same address is that person; an archive of `export-house` has only addresses that were verified
 * there. Bots belong to their owners, else to the owner of the house.
 */
export async function importPeople(
  trx: Db,
  users: readonly User[],
  { isLinking, owner, formerOwner }: Wanted,
): Promise<People> {
  const emails = users.flatMap((user) => addressOf(user) ?? [])
  const accounts = new Map((await listAccountsByEmail(trx, emails)).map((row) => [row.email, row]))
  const linked = new Map<string, string>()
  const present = new Set<string>()
  for (const user of users) {
    const account = isLinking ? accounts.get(addressOf(user) ?? '') : undefined
    if (!account?.email_verified || present.has(account.id)) continue
    linked.set(user.id, account.id)
    present.add(account.id)
  }
  const made = users.filter(({ id }) => !linked.has(id))
  const ids = new Map([...linked, ...(await allocateIds(trx, 'users', made))])
  const ownerId = owner ?? mustHave(ids, formerOwner, 'user')
  const usernames = await freeUsernames(trx, made)
  const rows = made.map((user) => {
    const id = ids.get(user.id)!
    const { name, bot, bio, location, website, is_deleted } = user
    const address = addressOf(user)
    const isFree = address !== undefined && !accounts.has(address)
    // Of two with one address, as only a hostile archive has, the first has it.
    if (isFree) accounts.set(address, { id, email: address, email_verified: false })
    const username = usernames.get(user.id) ?? `deleted-${id}`
    return {
      id,
      username,
      name: seenName(name, username),
      bot,
      owner_id: bot ? (ids.get(user.owner_id ?? '') ?? ownerId) : null,
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
  return { ids, present, ownerId }
}

/** The address of a person, in lower case; undefined where it is none here. */
function addressOf({ email, bot, is_deleted }: User): string | undefined {
  return email !== null && isEmail(email) && !bot && !is_deleted ? email.toLowerCase() : undefined
}

/** A username for everybody who is not deleted: their own where it is free, else one with a number or the id. */
async function freeUsernames(trx: Db, users: readonly User[]): Promise<Map<string, string>> {
  const named = users.filter(({ is_deleted }) => !is_deleted)
  const wanted = named.map(({ username }) => username.toLowerCase())
  if (new Set(wanted).size < wanted.length) throw new CliError('The archive has two users with one username.')
  const taken = new Set(await listTakenUsernames(trx, wanted))
  const chosen = new Map<string, string>()
  for (const { id, username } of named) {
    let name: string | undefined = username.toLowerCase()
    if (isReserved(name) || taken.has(name)) {
      const base = isReserved(name) ? 'user' : name
      const candidates = [base, ...numbered(base), `user-${id}`]
      for (const each of await listTakenUsernames(trx, candidates)) taken.add(each)
      name = candidates.find((candidate) => !taken.has(candidate))
    }
    if (name === undefined) throw new CliError(`No username is free here for the user ${id}.`)
    taken.add(name)
    chosen.set(id, name)
  }
  return chosen
}

function numbered(username: string): string[] {
  return Array.from({ length: maxNumber - 1 }, (_, index) => {
    const ending = `-${index + 2}`
    return `${username.slice(0, maxUsernameLength - ending.length)}${ending}`
  })
}
