import { Api, type ApiOptions, type Arguments, type CallOptions } from './api.ts'
import { checkAddress, checkInput } from './arguments.ts'
import { ApiError } from './errors.ts'
import type { Fetch } from './http.ts'
import { withNonce } from './message-bodies.ts'
import type { Answer, Input, OperationId } from './operations.ts'
import { paths } from './paths.ts'
import { waitBefore } from './reconnecting.ts'
import { sleep } from './sleep.ts'

export type RetryingApiOptions = ApiOptions & {
  /** The total time that a call waits for a server that is away, in ms: by default 60,000; 0: no call is repeated. */
  retryMs?: number
  /** Called before each wait, with the error of the attempt. */
  onRetry?: (error: OperationError, waitMs: number) => void
}

const defaultRetryMs = 60_000
/** 0: no response. Proxies answer 502 and 504 while the server is away; the server answers 503 while its database is. */
const retriedStatuses = [0, 502, 503, 504]
/** A repeated nonce creates no second message (docs/api.md#messages). */
const sends: readonly string[] = ['sendMessage', 'sendMediaMessage']
/** Parts of a path that are secrets, and have no place in logs. */
const secretParams = ['token', 'code']

/** A failed request, whose message names the operation and its path, without secrets and query. */
export class OperationError extends ApiError {
  readonly operation: OperationId
  /** The method and path: `POST /rooms/1/messages`. */
  readonly path: string
  /** The text of the server alone. */
  readonly serverMessage: string

  constructor(operation: OperationId, params: Record<string, string>, error: ApiError) {
    super(error)
    const fill = (whole: string, name: string) =>
      secretParams.includes(name) ? whole : (params[name] ?? whole)
    this.name = 'OperationError'
    this.operation = operation
    this.path = paths[operation].replace(/\{(\w+)\}/g, fill)
    this.serverMessage = error.message
    const status = error.status === 0 ? '' : `${error.status} `
    const reason = reasonOf(error.cause)
    this.message = `${operation} (${this.path}): ${status}${error.code}: ${error.message}${reason}`
  }
}

/** Why there was no response, in brackets: Node's `fetch` says it in a cause with a code. Other errors may quote secrets. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code, message, cause } = error as Error & { code?: unknown }
  return reasonOf(cause) || (typeof code === 'string' ? ` (${message || code})` : '')
}

/**
 * An `Api` that repeats the calls that are safe to repeat while the server is away, with growing waits: GETs, and
 * messages, which have a nonce. Throws `OperationError`, and `TypeError` for arguments that no request can be made of.
 */
export class RetryingApi extends Api {
  readonly #retryMs: number
  readonly #onRetry: RetryingApiOptions['onRetry']

  constructor({ retryMs = defaultRetryMs, onRetry, fetch, ...options }: RetryingApiOptions) {
    checkAddress(options.address)
    super({ ...options, fetch: fetchWhole(fetch ?? ((url, init) => globalThis.fetch(url, init))) })
    this.#retryMs = retryMs
    this.#onRetry = onRetry
  }

  override async call<Id extends OperationId>(operation: Id, ...[input]: Arguments<Id>): Promise<Answer<Id>> {
    checkInput(operation, input as AnyInput | undefined)
    const repeatable = repeatableInput(operation, input)
    for (let attempt = 0, leftMs = this.#retryMs; ; attempt += 1) {
      try {
        return await super.call(operation, ...([repeatable] as Arguments<Id>))
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause
        const error = new OperationError(operation, repeatable?.params ?? {}, cause)
        const waitMs = Math.max(waitBefore(attempt), error.retryAfterMs ?? 0)
        leftMs -= waitMs
        if (!isRepeatable(operation) || !retriedStatuses.includes(error.status) || leftMs < 0) throw error
        this.#onRetry?.(error, waitMs)
        await sleep(waitMs, repeatable?.signal)
      }
    }
  }
}

/** Reads bodies to their end, so that a response that was cut off fails as one that never came. */
function fetchWhole(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { status, headers } = response
    if (response.body === null) return response
    return new Response(await response.arrayBuffer(), { status, headers })
  }
}

function isRepeatable(operation: OperationId): boolean {
  return paths[operation].startsWith('GET ') || sends.includes(operation)
}

type AnyInput = { params?: Record<string, string>; body?: { nonce?: string } } & CallOptions

/** The input, with one nonce for all attempts if it is a message. */
function repeatableInput<Id extends OperationId>(
  operation: Id,
  input: (Input<Id> & CallOptions) | undefined,
): AnyInput | undefined {
  const given = input as AnyInput | undefined
  return sends.includes(operation) ? { ...given, body: withNonce(given?.body ?? {}) } : given
}
