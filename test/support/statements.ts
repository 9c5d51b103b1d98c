import pg from 'pg'
import { vi } from 'vitest'

export type Statement = { text: string; values: unknown[] }

/** What goes on beside the requests, and what only opens or ends a transaction. */
const beside = /"messages"\."expires_at" <= now\(\)|^(?:begin|commit|rollback)/

/** The statements that are sent to the database while something is done. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return spy.mock.calls.flatMap(([config, values]) => {
      const query = config as unknown as string | Statement
      const text = typeof query === 'string' ? query : query.text
      const given = typeof query === 'string' ? (values as unknown as unknown[]) : query.values
      return beside.test(text) ? [] : { text, values: given ?? [] }
    })
  } finally {
    spy.mockRestore()
  }
}
