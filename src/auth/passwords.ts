import { createQueue } from '../queue.ts'

/** Each hash takes 19 MiB, and a CPU for tens of milliseconds. */
const hashesAtOnce = 2
const maxHashesWaiting = 64

/** Loaded with the first password: its library takes 3 MB. */
const loadArgon = () => import('@node-rs/argon2')

const queue = createQueue({ atOnce: hashesAtOnce, waiting: maxHashesWaiting })

/** argon2id of a random password that nobody knows, of the same cost as every other. */
export const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$FUZUO806mU4OWVqpx1pQgA$ucTtIjoGMK9m7mGiZ+cHk8m9WQyvJrv+cS2O6+F5WCM'

/** The argon2id hash of a password. Throws `unavailable` when too many wait to be hashed. */
export function hashPassword(password: string): Promise<string> {
  return queue(async () => {
    const { hash } = await loadArgon()
    return hash(password)
  })
}

/**
 * Whether a password matches a hash. Without a hash (no such account, or a bot) it does not, and the check takes the
 * same time. Throws `unavailable` when too many wait.
 */
export function isPassword(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  return queue(async () => {
    const { verify } = await loadArgon()
    const matches = await verify(passwordHash ?? nobodysHash, password)
    return matches && typeof passwordHash === 'string'
  })
}
