import type { CodeGuesses } from '../auth/code-guesses.ts'
import { readLogin } from '../auth/logins.ts'
import { hashPassword } from '../auth/passwords.ts'
import { type Db, violates } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { commit, type Outcome } from '../events/commit.ts'
import { joinByInvite, requireInvite } from '../houses/invites/operations.ts'
import { newId } from '../ids.ts'
import { isReserved } from '../users/permissions.ts'
import { serializeOwnUser } from '../users/serializers.ts'
import { lockVerified, requirePassword } from './passwords/check-operations.ts'
import { refuseGuessable } from './passwords/guessing-operations.ts'
import {
  type CredentialsRow,
  findCredentialsByEmail,
  findCredentialsByUsername,
  findTakenLogin,
  insertAccount,
} from './queries.ts'
import type { LoggedIn, LogIn, Register } from './schemas.ts'
import { type Device, openSession } from './sessions/operations.ts'
import { useSecondFactor } from './two-factor/operations.ts'

/** Who may create an account over HTTP. */
type RegistrationMode = 'open' | 'invite' | 'closed'

/** The rules for new accounts. `server` is the address of the server; `extended`: whether an extended client asks. */
type RegistrationRules = { mode: RegistrationMode; server: string; extended?: boolean }

/** Throws `registration_closed` where the server does not take a registration with or without an invite. */
function requireOpenRegistration(mode: RegistrationMode, invite: string | undefined): void {
  const isOpen = mode === 'open' || (mode === 'invite' && invite !== undefined)
  if (!isOpen) throw new ApiError('registration_closed')
}

/**
 * Makes an account and its first login session (docs/api.md#accounts); with an invite it joins that house, or is not
 * made. `also` is part of the transaction. Throws `invalid_schema` for a password that is easily guessed,
 * `registration_closed`, `invite_not_found`, `email_taken`, then `username_taken`.
 */
export async function register(
  db: Db,
  fields: Register,
  device: Device,
  { mode, server, extended = false }: RegistrationRules,
  also?: (trx: Db, userId: string) => Promise<void>,
): Promise<Outcome<LoggedIn>> {
  const { email, invite } = fields
  const username = fields.username.toLowerCase()
  await refuseGuessable(fields.password, { ...fields, server })
  requireOpenRegistration(mode, invite)
  if (invite !== undefined) await requireInvite(db, invite, extended)
  await refuseTaken(db, email, username)
  const password_hash = await hashPassword(fields.password, device)
  const account = { id: newId(), username, name: fields.name ?? username, email, password_hash }
  try {
    return await commit(db, async (trx) => {
      const row = await insertAccount(trx, account)
      const answer = { token: await openSession(trx, row.id, device), user: serializeOwnUser(row) }
      await also?.(trx, row.id)
      return { answer, events: invite === undefined ? [] : await joinByInvite(trx, row.id, invite) }
    })
  } catch (error) {
    if (violates(error, 'users_email_unique')) throw new ApiError('email_taken')
    if (!violates(error, 'users_username_unique')) throw error
    // Both may be taken by now, but PostgreSQL names only one of them.
    await refuseTaken(db, email, username)
    throw new ApiError('username_taken')
  }
}

async function refuseTaken(db: Db, email: string, username: string): Promise<void> {
  const taken = await findTakenLogin(db, { email, username })
  if (taken.email) throw new ApiError('email_taken')
  if (taken.username || isReserved(username)) throw new ApiError('username_taken')
}

/**
 * Opens a login session (docs/api.md#accounts). Throws `invalid_credentials`, in the same time for a wrong name and a
 * wrong password, and for a disabled account; after the right password `mfa_required` or `invalid_code`, and to an
 * extended client `account_disabled`.
 */
export async function logIn(
  db: Db,
  { login, password, code }: LogIn,
  device: Device,
  { guesses, extended }: { guesses: CodeGuesses; extended: boolean },
): Promise<LoggedIn> {
  const ifDisabled = extended ? 'account_disabled' : 'invalid_credentials'
  const account = await requirePassword(db, await findByLogin(db, login), password, device, ifDisabled)
  if (!account.mfa_enabled) return openVerified(db, account, code, device)
  if (code === undefined) throw new ApiError('mfa_required')
  return guesses.limit(account.id, () => openVerified(db, account, code, device))
}

/** Opens a login session of an account whose password was checked. */
function openVerified(
  db: Db,
  account: CredentialsRow,
  code: string | undefined,
  device: Device,
): Promise<LoggedIn> {
  return db.transaction().execute(async (trx) => {
    const locked = await lockVerified(trx, account)
    // Two-factor authentication was enabled meanwhile. No code is checked without the limit of guesses.
    if (locked.mfa_enabled && !account.mfa_enabled) throw new ApiError('mfa_required')
    const isProven = !locked.mfa_enabled || (await useSecondFactor(trx, locked, code ?? ''))
    if (!isProven) throw new ApiError('invalid_code')
    const { password_hash, totp_secret, totp_last_step, totp_earlier_steps, disabled, ...user } = locked
    return { token: await openSession(trx, user.id, device), user: serializeOwnUser(user) }
  })
}

function findByLogin(db: Db, login: string): Promise<CredentialsRow | undefined> {
  const named = readLogin(login)
  if ('email' in named) return findCredentialsByEmail(db, named.email)
  return findCredentialsByUsername(db, named.username)
}
