import pg from 'pg'
import { vi } from 'vitest'
import { planSettings } from '../../src/database/client.ts'
import { databaseUrl } from './world.ts'

/** Citus cannot plan for any values. */
const usesCitus = process.env.TEST_DATABASE?.startsWith('citus') === true

type Statement = { text: string; values: unknown[] }

/** Statements outside of requests. */
export const background =
  /"?expires_at"? <= now\(\)|removed_rooms|gin_clean_pending_list|delete from audit_log|leased_until|delete from exports|house_retention where house_id >|as looked \(id|set trimmed_to|read_events|list_events|pg_locks|has_ended|delete from presences where node <> all|from "presences" where "node"|pg_dist_partition/
/** Those that only begin or end a transaction, or prepare a connection. */
const beside = /^set plan_cache_mode|^select$|^(?:begin|commit|rollback)/

/** The statements that are sent to the database of the world while something is done. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const own = databaseUrl.match(/\/(\w+)(?:\?|$)/)![1]
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return spy.mock.calls.flatMap(([config, values], place) => {
      const { database } = spy.mock.contexts[place] as pg.Client
      const text = textOfStatement(config)
      const given = typeof config === 'string' ? values : (config as unknown as Statement).values
      return database !== own || background.test(text) || beside.test(text)
        ? []
        : { text, values: given ?? [] }
    })
  } finally {
    spy.mockRestore()
  }
}

/** Runs work while statements with this text fail, as in an outage of the database. */
export async function failing(text: RegExp, work: () => Promise<unknown>): Promise<void> {
  const { query } = pg.Client.prototype
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given) {
    if (text.test(textOfStatement(given[0]))) return Promise.reject(new Error('Connection terminated'))
    return Reflect.apply(query, this, given)
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
}

function textOfStatement(config: unknown): string {
  return typeof config === 'string' ? config : (config as Statement).text
}

/** A step of a plan, as it ran. */
type PlanStep = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
}

/** The steps of the plan by which a statement runs, as the server's connections plan it; what it changes is undone. */
export async function explain(databaseUrl: string, { text, values }: Statement): Promise<PlanStep[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: usesCitus ? undefined : planSettings,
  })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(`prepare explained as ${text}`)
    const given = values.map((value) => asLiteral(client, value)).join(', ')
    const { rows } = await client.query(
      `explain (analyze, format json) execute explained${given && `(${given})`}`,
    )
    return stepsIn(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await client.end()
  }
}

/** All steps within a part of a plan: of Citus also those on its workers, whose tables have numbers. */
function stepsIn(part: unknown): PlanStep[] {
  if (typeof part !== 'object' || part === null) return []
  const inner = Object.values(part).flatMap(stepsIn)
  if (!('Node Type' in part)) return inner
  const step = part as PlanStep
  const table = step['Relation Name']?.replace(/_\d{6}$/, '')
  return [table === undefined ? step : { ...step, 'Relation Name': table }, ...inner]
}

/** A value within a statement, as `pg` sends it beside one. */
function asLiteral(client: pg.Client, value: unknown): string {
  return value === null || value === undefined ? 'null' : client.escapeLiteral(textOf(value))
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (value instanceof Date) return value.toISOString()
  if (!Array.isArray(value)) return String(value)
  const items = value.map((item) => (item === null ? 'null' : JSON.stringify(textOf(item))))
  return `{${items.join(',')}}`
}
