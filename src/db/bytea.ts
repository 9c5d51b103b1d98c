/** Hex texts as PostgreSQL reads a `bytea[]`: a Buffer for each would be made only to be written as text again. */
export function byteaArray(hex: readonly string[]): string {
  return `{${hex.map((text) => `"\\\\x${text}"`).join(',')}}`
}
