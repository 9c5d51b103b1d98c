type Details = {
  code: string
  message: string
  status: number
  retryAfterMs?: number | undefined
  cause?: unknown
}

/**
 * A failed request. `code` is an error code of the server (`docs/errors.md`), `unreachable` (no response, `status` is 0),
 * or `unreadable` (a response that is not Hearth's, for example a proxy's).
 */
export class ApiError extends Error {
  readonly code: string
  /** The HTTP status; 0 without a response. */
  readonly status: number
  /** The fields that an `invalid_schema` names. */
  readonly fields: readonly string[]
  /** The wait before the next attempt that the server asks for, in ms. */
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

/** The names in `Required fields (a, b) not met` and `Invalid fields (a, b)`. */
function fieldsIn(message: string): string[] {
  const [, names] = /fields \(([^)]*)\)/.exec(message) ?? []
  return names ? names.split(', ') : []
}
