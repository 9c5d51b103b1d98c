import { ConfigError } from '../config.ts'
import { isDatabaseRefusal, isDatabaseUnavailable } from '../database/availability/unavailable.ts'
import { EmbeddedPostgresError } from '../database/embedded/embedded-account.ts'
import {
  IncompatibleDatabase,
  NewerDatabase,
  NodeNumbersTaken,
  reasonOf,
  StoreUnavailable,
} from '../errors.ts'
import { WorkersError } from './workers.ts'

/** Errors whose messages are written for the operator. */
const forOperators = [
  ConfigError,
  EmbeddedPostgresError,
  IncompatibleDatabase,
  NewerDatabase,
  NodeNumbersTaken,
  WorkersError,
]

/** A sentence for what the operator can put right; the stack for what is a bug. */
export function describeFailure(error: unknown): string {
  const { code, message, stack, path, syscall } = error as NodeJS.ErrnoException
  if (forOperators.some((type) => error instanceof type)) return message
  // Before the database: the ENOENT of a folder is that of a socket, too.
  if (syscall === 'mkdir') return `DATA_DIR cannot be used: ${message}.`
  if (isDatabaseUnavailable(error) || isDatabaseRefusal(error)) {
    return `DATABASE_URL cannot be used: ${reasonOf(error)}.`
  }
  if (error instanceof StoreUnavailable) return `STORAGE_URL cannot be used: ${message}.`
  if (path !== undefined && syscall !== undefined && code !== 'ERR_MODULE_NOT_FOUND') {
    return `DATA_DIR cannot be used: ${message}.`
  }
  return stack ?? String(error)
}
