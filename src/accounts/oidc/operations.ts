import { randomBytes, randomInt } from 'node:crypto'
import type { OidcIdentity, OidcProfile } from '../../auth/oidc.ts'
import { hashToken } from '../../auth/tokens.ts'
import { type Db, violates } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { newId } from '../../ids.ts'
import { cleanLine, isVisible, startOf } from '../../text.ts'
import { isReserved } from '../../users/permissions.ts'
import { serializeOwnUser } from '../../users/serializers.ts'
import { deleteCodes } from '../codes/queries.ts'
import { setPassword } from '../passwords/operations.ts'
import { findCredentialsByEmail, findTakenLogin, insertAccount, lockCredentials } from '../queries.ts'
import type { LoggedIn } from '../schemas.ts'
import { type Device, openSession, sessionsEndedEvents } from '../sessions/operations.ts'
import { deleteSessionsOfBots } from '../sessions/queries.ts'
import { deleteOidcCode, findIdentityHolder, insertIdentity, insertOidcCode } from './queries.ts'

const codeBytes = 16
const codeLifeMs = 60_000
const attempts = 10
/** So many usernames are tried before one that nobody has. */
const maxCandidates = 20
const maxNameLength = 64
const maxBaseLength = 27

/** What the settings say of those who log in for the first time. */
type OidcRules = {
  linksByEmail: boolean
  isOpen: boolean
  /** Throws while no account may be added. */
  requireSpace(): void
  /** Whether an extended client asks. */
  extended: boolean
}

/** Makes a code by which a client takes a confirmed login, once, within a minute. */
export async function issueOidcCode(db: Db, identity: OidcIdentity): Promise<string> {
  const code = randomBytes(codeBytes).toString('hex')
  await insertOidcCode(db, hashToken(code), identity, codeLifeMs)
  return code
}

/**
 * Opens a login session by such a code: of the account that the identity belongs to, else of the one that it may take
 * over by its e-mail address (`linked`), else of a new one (docs/api.md#login-by-openid-connect). Throws `invalid_code`,
 * `invalid_credentials` (disabled; to an extended client `account_disabled`), `email_taken` (not linked), `registration_closed`; then the code is still good.
 */
export async function logInByOidc(
  db: Db,
  code: string,
  rules: OidcRules,
  device: Device,
): Promise<Outcome<LoggedIn & { linked: boolean }>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await commit(db, async (trx) => {
        const identity = await deleteOidcCode(trx, hashToken(code))
        if (!identity) throw new ApiError('invalid_code')
        const { account, ended } = await requireAccount(trx, identity, rules)
        const { password_hash, totp_secret, totp_last_step, totp_earlier_steps, disabled, ...user } = account
        if (disabled) throw new ApiError(rules.extended ? 'account_disabled' : 'invalid_credentials')
        const token = await openSession(trx, user.id, device)
        const linked = ended !== undefined
        return { answer: { token, user: serializeOwnUser(user), linked }, events: ended ?? [] }
      })
    } catch (error) {
      // Somebody else has taken the username, the address or the identity at the same time.
      const isRace =
        violates(error, 'users_username_unique') ||
        violates(error, 'users_email_unique') ||
        violates(error, 'oidc_identities_pkey')
      if (!isRace || attempt === attempts) throw error
    }
  }
}

/** `ended`: the events of ending the access of an earlier holder, if the account is taken over by its address. */
async function requireAccount(trx: Db, identity: OidcIdentity, rules: OidcRules) {
  const holderId = await findIdentityHolder(trx, identity)
  const linkedId = holderId === undefined ? await linkByEmail(trx, identity, rules) : undefined
  const id = holderId ?? linkedId ?? (await register(trx, identity, rules))
  const ended = linkedId === undefined ? undefined : await endEarlierAccess(trx, linkedId)
  const account = await lockCredentials(trx, id)
  if (!account) throw new ApiError('invalid_code')
  return { account, ended }
}

/**
 * Ends every other access to a locked account: somebody else may have registered with the address. Returns the events.
 */
async function endEarlierAccess(trx: Db, userId: string): Promise<HearthEvent[]> {
  const events = await setPassword(trx, userId, null)
  await deleteCodes(trx, userId)
  return [...events, ...sessionsEndedEvents(await deleteSessionsOfBots(trx, userId))]
}

/**
 * The account with the identity's e-mail address, which it may log in to from now on; undefined when there is none. Both
 * sides must have verified the address: else somebody could take an account over by registering an address that is not
 * theirs, at the provider or here. A second factor is not given up. Throws `email_taken`.
 */
async function linkByEmail(
  trx: Db,
  { issuer, subject, profile }: OidcIdentity,
  { linksByEmail }: OidcRules,
): Promise<string | undefined> {
  const found = profile.email === null ? undefined : await findCredentialsByEmail(trx, profile.email)
  const account = found && (await lockCredentials(trx, found.id))
  if (!account) return undefined
  const isProven = profile.email_verified && account.email_verified && !account.mfa_enabled
  if (!linksByEmail || !isProven) throw new ApiError('email_taken')
  await insertIdentity(trx, { issuer, subject, user_id: account.id })
  return account.id
}

async function register(
  trx: Db,
  { issuer, subject, profile }: OidcIdentity,
  { isOpen, requireSpace }: OidcRules,
): Promise<string> {
  if (!isOpen) throw new ApiError('registration_closed')
  requireSpace()
  const username = await chooseUsername(trx, profile)
  // An address that is not proven is not kept: whoever has it could take the account over by setting a password, and
  // would share it with the identity.
  const email = profile.email_verified ? profile.email : null
  const account = {
    id: newId(),
    username,
    name: nameOf(profile) ?? username,
    email,
    email_verified: email !== null,
  }
  const { id } = await insertAccount(trx, account)
  await insertIdentity(trx, { issuer, subject, user_id: id })
  return id
}

/** A username that is free: the one at the provider or of the address, as far as it can be one, else with a number. */
async function chooseUsername(trx: Db, { username, email }: OidcProfile): Promise<string> {
  const wanted = [username, email?.split('@')[0]].map((text) => toUsername(text ?? '')).find(Boolean)
  const base = wanted ?? 'user'
  let candidate = base
  for (let tried = 0; tried < maxCandidates; tried += 1) {
    const taken = await findTakenLogin(trx, { email: '', username: candidate })
    if (!taken.username && !isReserved(candidate) && candidate.length >= 3) return candidate
    candidate = `${base}${randomInt(10_000)}`
  }
  return `user-${newId()}`
}

function toUsername(text: string): string {
  const [local = ''] = text.toLowerCase().split('@')
  const kept = local.replace(/[^a-z0-9_.-]/g, '').slice(0, maxBaseLength)
  const trimmed = kept.replace(/^[_.-]+|[_.-]+$/g, '')
  // With a number, a name that begins like those of deleted accounts would be reserved all the same.
  return /^[0-9]*$|^deleted-/.test(trimmed) ? '' : trimmed
}

function nameOf({ name }: OidcProfile): string | undefined {
  const line = cleanLine(startOf(name ?? '', maxNameLength).replace(/\p{Cc}/gu, ' ')).trim()
  return isVisible(line) ? [...line].slice(0, maxNameLength).join('') : undefined
}
