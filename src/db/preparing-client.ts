import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { cutOff, TimedClient } from './timed-client.ts'

const maxStatementNames = 2_000

const statementNames = new Map<string, string>()

/** The name a statement is prepared under: a hash of its text. */
export function statementName(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    if (statementNames.size >= maxStatementNames) statementNames.clear()
    name = createHash('sha256').update(text).digest('base64url').slice(0, 32)
    statementNames.set(text, name)
  }
  return name
}

/** What `pg` has and its types leave out. */
type Insides = { processID: number | null; readyForQuery: boolean; connection: { stream: Socket } }

/** A `pg` client that prepares every statement with parameters once per connection, and can be watched and cut off. */
export class PreparingClient extends TimedClient {
  /** How many statements it was given, and how many of a batch it has answered: what counts is whether that moves. */
  sent = 0

  /** The process that serves it. */
  get pid(): number | null {
    return this.#insides.processID
  }

  /** Whether a statement is on its way. */
  get isBusy(): boolean {
    return this.#insides.readyForQuery === false
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares a dozen overloads of this one method
  override query(config: any, values?: any, callback?: any): any {
    this.sent += 1
    if (typeof config !== 'string' || !Array.isArray(values) || values.length === 0) {
      return super.query(config, values, callback)
    }
    return super.query({ name: statementName(config), text: config, values }, callback)
  }

  /** What is sent by `send` leaves in one write. */
  sendTogether(send: () => void): void {
    const { stream } = this.#insides.connection
    stream.cork()
    try {
      send()
    } finally {
      stream.uncork()
    }
  }

  /** Breaks the connection: what is on its way fails with the reason, and what comes after it fails as well. */
  cut(reason: Error): void {
    cutOff(this, reason)
  }

  get #insides(): Insides {
    return this as unknown as Insides
  }
}
