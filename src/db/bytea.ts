import { sql } from 'kysely'

/** Hex texts as PostgreSQL reads a `bytea[]`: a Buffer for each would be made only to be written as text again. */
export function byteaLiterals(hex: readonly string[]): string[] {
  return hex.map((text) => `\\x${text}`)
}

/** A `bytea` column as hex. */
export function hexOf(column: string) {
  return sql<string>`encode(${sql.ref(column)}, 'hex')`
}
