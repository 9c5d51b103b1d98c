/** Hex texts in the form in which PostgreSQL reads a `bytea[]`. `pg` would write Buffers as the same text. */
export function byteaArray(hex: readonly string[]): string {
  return `{${hex.map((text) => `"\\\\x${text}"`).join(',')}}`
}
