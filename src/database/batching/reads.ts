import type { RawBuilder } from 'kysely'
import { type Db, pipelineOf } from '../client.ts'
import { statementName } from '../pool/pooled-client.ts'
import type { Statement } from './pipeline.ts'
import { toObjects } from './row-query.ts'

/** Builds a statement: called with placeholders for the values that the read is later called with. */
type Build<Values, Row> = (values: Values) => RawBuilder<Row>
export type Read<Values, Row> = (db: Db, values: Values) => Promise<Row[]>

/**
 * Makes a read for the hot path. It is built and compiled once, and sent together with the other reads that wait at the
 * same moment; in a transaction it is sent by itself. `fixed` are values that become part of its text.
 */
export function prepareRead<Values extends object, Row>(
  build: Build<Values, Row>,
  fixed?: Partial<Values>,
): Read<Values, Row> {
  const alone: Read<Values, Row> = async (db, values) => (await build(values).execute(db)).rows
  return prepare(build, fixed, toObjects<Row>, alone)
}

/**
 * Like `prepareRead`, but each row is an array of its columns. Making objects of a page of messages would take an eighth
 * of its request.
 */
export function prepareTupleRead<Values extends object, Row>(
  build: Build<Values, Row>,
  fixed?: Partial<Values>,
): Read<Values, Row> {
  const alone: Read<Values, Row> = async (db, values) => {
    const { rows } = await build(values).execute(db)
    return rows.map((row) => Object.values(row as object) as Row)
  }
  return prepare(build, fixed, ({ rows }) => rows as Row[], alone)
}

function prepare<Values extends object, Row>(
  build: Build<Values, unknown>,
  fixed: Partial<Values> = {},
  toRows: Statement<Row>['toRows'],
  alone: Read<Values, Row>,
): Read<Values, Row> {
  let prepared: (Statement<Row> & { parameters: (keyof Values)[] }) | undefined

  function compile(db: Db) {
    const placeholders = new Proxy(fixed, {
      get: (_fixed, name) => (name in fixed ? fixed[name as keyof Values] : { name }),
    })
    const { sql: text, parameters } = build(placeholders as Values).compile(db)
    const names = parameters.map((each) => (each as { name: keyof Values }).name)
    return { name: statementName(text), text, parameters: names, toRows }
  }

  return (db, values) => {
    const pipeline = pipelineOf(db)
    if (!pipeline) return alone(db, values)
    prepared ??= compile(db)
    return pipeline.read(
      prepared,
      prepared.parameters.map((name) => asParameter(values[name])),
    )
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

/** Hex texts in the form in which PostgreSQL reads a `bytea[]`. `pg` would write Buffers as the same text. */
export function byteaArray(hex: readonly string[]): string {
  return `{${hex.map((text) => `"\\\\x${text}"`).join(',')}}`
}
