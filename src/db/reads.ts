import type { RawBuilder } from 'kysely'
import { type Db, pipelineOf } from './client.ts'
import { statementName } from './preparing-client.ts'
import type { Statement } from './read-query.ts'

type Prepared<Row> = Statement<Row> & { parameters: string[] }

/**
 * Makes a read for the hot path, which is built and compiled only once, and sent together with the other reads that
 * wait at the same moment (in a transaction it is sent by itself). `build` is called with placeholders for the values
 * that the read is later called with; `fixed` are values that become part of its text.
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

/** A value as PostgreSQL reads it. */
function asParameter(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return Array.isArray(value) ? `{${value.map(asElement).join(',')}}` : String(value)
}

/** Most are ids, which need no quotes. */
function asElement(text: string): string {
  return /^[0-9]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`
}

type StandIn = { name: string }

/** Hex texts in the form in which PostgreSQL reads a `bytea[]`. `pg` would write Buffers as the same text. */
export function byteaArray(hex: readonly string[]): string {
  return `{${hex.map((text) => `"\\\\x${text}"`).join(',')}}`
}
