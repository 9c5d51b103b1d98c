import { ConfigError } from './config.ts'
import { isDatabaseAway, isDatabaseRefusal } from './db/away.ts'
import { EmbeddedPostgresError } from './db/embedded-account.ts'
import { NewerDatabase, reasonOf, StoreAway, UnfitDatabase } from './errors.ts'
import { WorkersError } from './workers.ts'

/** Their messages are such sentences. */
const forOperators = [ConfigError, EmbeddedPostgresError, NewerDatabase, UnfitDatabase, WorkersError]

/** A sentence for what the operator can put right; the stack for what is a bug. */
export function describeFailure(error: unknown): string {
  const { code, message, stack, path, syscall } = error as NodeJS.ErrnoException
  if (forOperators.some((type) => error instanceof type)) return message
  // Before the database: the ENOENT of a folder is that of a socket, too.
  if (syscall === 'mkdir') return `DATA_DIR cannot be used: ${message}.`
  if (isDatabaseAway(error) || isDatabaseRefusal(error)) {
    return `DATABASE_URL cannot be used: ${reasonOf(error)}.`
  }
  if (error instanceof StoreAway) return `STORAGE_URL cannot be used: ${message}.`
  if (path !== undefined && syscall !== undefined && code !== 'ERR_MODULE_NOT_FOUND') {
    return `DATA_DIR cannot be used: ${message}.`
  }
  return stack ?? String(error)
}
