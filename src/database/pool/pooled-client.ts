import { hash } from 'node:crypto'
import type pg from 'pg'
import { DatabaseClient } from '../servers/database-client.ts'
import type { TimedConfig } from './timed-client.ts'

/**
 * The most statements that are prepared, of those that are not made by `prepareRead`. PostgreSQL keeps text and plan of
 * each until the connection closes. There are some 250; edits of several fields could make more.
 */
const maxPrepared = 500
/** A statement with more parameters is one of very many, such as one for each number of rows. */
const maxParameters = 20

const namesByText = new Map<string, string>()

/** The name a statement is prepared under: a hash of its text. */
export function statementName(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 32)
}

/** The name of one of the first `maxPrepared` statements; PostgreSQL plans every later one anew each time. */
function limitedName(text: string): string | undefined {
  let name = namesByText.get(text)
  if (name === undefined && namesByText.size < maxPrepared) {
    name = statementName(text)
    namesByText.set(text, name)
  }
  return name
}

/**
 * What `monitorConnections` notes of a running statement: during how many checks it has been running, whether
 * PostgreSQL knows nothing of it, and at which check its commit was first found waiting (null when it was not, the last
 * time PostgreSQL was asked).
 */
export type RunningStatement = { checks: number; isLost: boolean; waitsSince: number | null }

/** A client of a pool. It prepares statements with parameters once, and shows whether one is running. */
export class PooledClient extends DatabaseClient {
  /** Replaced at every sign of progress; undefined while nothing runs. */
  running: RunningStatement | undefined

  constructor(config?: TimedConfig) {
    super(config)
    this.on('drain', () => {
      this.running = undefined
    })
  }

  /** One of several statements that were sent together was answered. */
  noteProgress(): void {
    if (this.running) this.running = newlyRunning()
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares a dozen overloads of this one method
  override query(config: any, values?: any, callback?: any): any {
    this.running = newlyRunning()
    if (typeof config !== 'string' || !Array.isArray(values) || values.length === 0) {
      return super.query(config, values, callback)
    }
    const name = values.length > maxParameters ? undefined : limitedName(config)
    return super.query({ name, text: config, values }, callback)
  }

  /** Sends queries in one write. */
  queryTogether(queries: readonly pg.Query[]): void {
    const { stream } = this.connection
    stream.cork()
    for (const query of queries) this.query(query)
    stream.uncork()
  }
}

function newlyRunning(): RunningStatement {
  return { checks: 0, isLost: false, waitsSince: null }
}
