import pg from 'pg'

/** The database does not answer, or too many statements wait for it. */
export class DatabaseUnavailable extends Error {}

/**
 * SQLSTATEs: connection failures, shutdown, start-up, a full disk, too many connections, time limits, locks not
 * available, deadlocks, a server that may only be read (a standby, or one whose host has run out of disk).
 */
const unavailableStates = /^(08|57P0|53|57014|55P03|25P03|25006|40P01)/
const unavailableSystemCodes = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
const unavailableMessages = /Connection terminated|Client has encountered a connection error|not queryable/
/** Of the coordinator of a distributed database. A pooler that has lost its server has the same state. */
const workerMessage = /^connection to the remote node /
/** Of a standby: it has no unlogged tables. */
const standbyMessage = /during recovery$/

/** Whether an error means that the database is unavailable, rather than that a statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (code === '0A000') return standbyMessage.test(error.message)
  if (typeof code === 'string') return unavailableStates.test(code) || unavailableSystemCodes.has(code)
  return unavailableMessages.test(error.message)
}

/** Whether the database answers but refuses the login: password, role, its rights, database name or TLS are wrong. */
export function isDatabaseRefusal(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(28|3D|42501)/.test(error.code ?? '')
  return error instanceof Error && /SSL|certificate/.test(error.message)
}

/** Whether a statement had no effect because it waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

/** Whether a statement was ended because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014'
}

/** Whether a transaction was ended because of a deadlock; it may be tried again. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01'
}

/**
 * Whether a distributed database answered that one of its workers does not: the statement had no effect, and another one,
 * about rows of other workers, may succeed.
 */
export function isWorkerUnavailable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '08006' && workerMessage.test(error.message)
}

/**
 * Whether the database itself refused the statement, so that it certainly had no effect and may be tried again. After
 * any other failure it may have been carried out although the answer was lost, and must not be repeated.
 */
export function isRolledBack(error: unknown): boolean {
  if (isLockTimeout(error) || isDeadlock(error) || isWorkerUnavailable(error)) return true
  return error instanceof pg.DatabaseError && !isDatabaseUnavailable(error)
}
