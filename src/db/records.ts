import { type RawBuilder, sql } from 'kysely'

/** What ends a column, and what ends a row: no text of ours holds control characters but breaks and tabs (http/strings.ts). */
const columnEnd = '\x1f'
const rowEnd = '\x1e'

/**
 * Gathers rows into one text, null when there are none: reading it takes a fraction of what reading every column of
 * every row does. No column may be null.
 */
export function gathered(columns: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`string_agg(concat_ws(${sql.lit(columnEnd)}, ${columns}), ${sql.lit(rowEnd)})`
}

/** The rows of such a text, each as the texts of its columns. */
export function scattered<Columns extends string[]>(text: string | null): Columns[] {
  return text === null ? [] : text.split(rowEnd).map((row) => row.split(columnEnd) as Columns)
}
