import { createFairQueue } from '../concurrency/fair-queue.ts'
import { halfOfProcessors } from '../concurrency/half-of-processors.ts'
import { maxPasswordLength } from '../http/schemas/strings.ts'
import { networkOf } from '../http/server/address.ts'
import { isTooLongToClean } from '../text.ts'

/** Each hash takes 19 MiB, and a processor for tens of milliseconds. */
const hashesAtOnce = Math.min(2, halfOfProcessors)
const maxHashesWaiting = 64

/** For whom a password is hashed: an account, or an address while it is not known whose request it is. */
export type PasswordOwner = { id: string } | { address: string }

/** Loaded with the first password: its library takes 3 MB. */
const loadArgon = () => import('@node-rs/argon2')

const runInTurn = createFairQueue({ atOnce: hashesAtOnce, waiting: maxHashesWaiting })

/** argon2id of a discarded random password, at the same cost as every other hash. */
export const unknownUserHash =
  '$argon2id$v=19$m=19456,t=2,p=1$FUZUO806mU4OWVqpx1pQgA$ucTtIjoGMK9m7mGiZ+cHk8m9WQyvJrv+cS2O6+F5WCM'

/**
 * The form of a password that is hashed (NFKC): keyboards write the same letters in different ways. A text that no password
 * can have been composed of stays as it is.
 */
export function normalizePassword(password: string): string {
  return isTooLongToClean(password, maxPasswordLength) ? password : password.normalize('NFKC')
}

/**
 * The argon2id hash of a password. Owners take turns. Throws `unavailable` when too many of theirs, or of all, wait.
 */
export function hashPassword(password: string, owner: PasswordOwner): Promise<string> {
  return runInTurn(nameOf(owner), async () => {
    const { hash } = await loadArgon()
    return hash(normalizePassword(password))
  })
}

/** How a password matches its hash. `as_typed`: the hash is of an earlier version, which did not normalize. */
type PasswordMatch = 'normalized' | 'as_typed'

/**
 * Whether and how a password matches a hash; null: it does not. Without a hash (no such account, or a bot) it does not,
 * and the check takes the same time. Throws as `hashPassword`.
 */
export function matchPassword(
  password: string,
  passwordHash: string | null | undefined,
  owner: PasswordOwner,
): Promise<PasswordMatch | null> {
  return runInTurn(nameOf(owner), async () => {
    const { verify } = await loadArgon()
    const normalized = normalizePassword(password)
    for (const form of new Set([normalized, password])) {
      const matches = await verify(passwordHash ?? unknownUserHash, form)
      if (matches && typeof passwordHash === 'string') return form === normalized ? 'normalized' : 'as_typed'
    }
    return null
  })
}

/** An id consists of digits alone, which no address does. */
function nameOf(owner: PasswordOwner): string {
  return 'id' in owner ? owner.id : networkOf(owner.address)
}
