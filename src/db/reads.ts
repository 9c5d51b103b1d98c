import type { RawBuilder } from 'kysely'
import { type Db, pipelineOf } from './client.ts'
import { statementName } from './preparing-client.ts'
import type { Statement } from './read-query.ts'

type Prepared<Row> = Statement<Row> & { parameters: string[] }

/**
 * Makes a read of the hot path: built and compiled once, and sent together with what else waits at the same moment (in a
 * transaction by itself). `build` gets stand-ins for the values that the read is given each time; `fixed` are values that
 * become part of its text.
 */
export function prepareRead<Values extends object, Row>(
  build: (values: Values) => RawBuilder<Row>,
  fixed: Partial<Values> = {},
): (db: Db, values: Values) => Promise<Row[]> {
  let prepared: Prepared<Row> | undefined

  function prepare(db: Db): Prepared<Row> {
    const standIns = new Proxy(fixed, {
      get: (_fixed, name) => (name in fixed ? fixed[name as keyof Values] : { name }),
    })
    const { sql: text, parameters } = build(standIns as Values).compile(db)
    return { name: statementName(text), text, parameters: parameters.map((each) => (each as StandIn).name) }
  }

  async function readAlone(db: Db, values: Values): Promise<Row[]> {
    return (await build(values).execute(db)).rows
  }

  return (db, values) => {
    const pipeline = pipelineOf(db)
    if (!pipeline) return readAlone(db, values)
    prepared ??= prepare(db)
    const given = prepared.parameters.map((name) => asParameter(values[name as keyof Values]))
    return pipeline.read(prepared, given)
  }
}

/** An array of plain texts as PostgreSQL reads it: `pg` would search each of them twice for what it has to escape. */
function asParameter(value: unknown): unknown {
  return Array.isArray(value) && value.every(isPlain)
    ? `{${value.map((each) => `"${each}"`).join(',')}}`
    : value
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' && !/["\\]/.test(value)
}

type StandIn = { name: string }
