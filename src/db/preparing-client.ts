import { hash } from 'node:crypto'
import { cutOff, insidesOf, TimedClient } from './timed-client.ts'

const maxStatementNames = 2_000

const statementNames = new Map<string, string>()

/** The name a statement is prepared under: a hash of its text. */
export function statementName(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    if (statementNames.size >= maxStatementNames) statementNames.clear()
    name = hash('sha256', text, 'base64url').slice(0, 32)
    statementNames.set(text, name)
  }
  return name
}

/** A `pg` client that prepares every statement with parameters once per connection, and can be watched and cut off. */
export class PreparingClient extends TimedClient {
  /** Rises with every statement sent, and every answer of a batch: the watch sees by it whether there is progress. */
  sent = 0

  /** Whether a statement is being run. */
  get isBusy(): boolean {
    return insidesOf(this).readyForQuery === false
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares a dozen overloads of this one method
  override query(config: any, values?: any, callback?: any): any {
    this.sent += 1
    if (typeof config !== 'string' || !Array.isArray(values) || values.length === 0) {
      return super.query(config, values, callback)
    }
    return super.query({ name: statementName(config), text: config, values }, callback)
  }

  /** All that `send` sends goes out in one write. */
  sendTogether(send: () => void): void {
    const { stream } = insidesOf(this).connection
    stream.cork()
    try {
      send()
    } finally {
      stream.uncork()
    }
  }

  /** Breaks the connection: the statement being run and all later ones fail with the reason. */
  cut(reason: Error): void {
    cutOff(this, reason)
  }
}
