type Details = {
  code: string
  message: string
  status: number
  retryAfterMs?: number | undefined
  cause?: unknown
}

/**
 * A request that failed. `code` is the server's (`docs/errors.md`), or one of two of the client's own: `unreachable`
 * (no answer came, `status` is 0) and `unreadable` (the answer is not one of Hearth, a proxy's say).
 */
export class ApiError extends Error {
  readonly code: string
  /** The HTTP status, 0 without an answer. */
  readonly status: number
  /** The fields that an `invalid_schema` names. */
  readonly fields: readonly string[]
  /** How long the server asks to wait before the next attempt. */
  readonly retryAfterMs: number | undefined

  constructor({ code, message, status, retryAfterMs, cause }: Details) {
    super(message, { cause })
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.fields = code === 'invalid_schema' ? fieldsIn(message) : []
  }
}

/** `Required fields (a, b) not met`, `Invalid fields (a, b)`. */
function fieldsIn(message: string): string[] {
  const [, names] = /fields \(([^)]*)\)/.exec(message) ?? []
  return names ? names.split(', ') : []
}
