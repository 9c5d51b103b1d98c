import { ApiError } from './errors.ts'
import { type Fetch, nextPageOf, type OutgoingRequest, readAnswer, send } from './http.ts'
import { mediaParts, withNonce } from './message-bodies.ts'
import type { Answer, Input, OperationId, SendMediaMessage } from './operations.ts'
import { paths } from './paths.ts'
import { sleep } from './sleep.ts'

export type ApiOptions = {
  /** The address of the server without a path: `https://chat.example.org`; in a browser `''` is the server of the page. */
  address: string
  /** The token of an account or a bot, for operations that need one. */
  token?: string | undefined
  /** Replaces the global `fetch`. */
  fetch?: Fetch
  /** The total time that a call waits after 429 responses, in ms: by default 60,000; 0 disables waiting. */
  rateLimitWaitMs?: number
}

export type CallOptions = {
  signal?: AbortSignal | undefined
  /** Called with the progress of an upload; only in browsers. */
  onProgress?: (sentBytes: number, totalBytes: number) => void
  /** Overrides the option of the `Api`. */
  rateLimitWaitMs?: number
  /** Why a house is changed: the audit log shows it. */
  auditReason?: string
  /** Called with the `before` of the next page of a search, unless this one is the last. */
  onNextPage?: (before: string) => void
}

type AnyInput = { params?: Record<string, string>; query?: object; body?: object } & CallOptions

/** The second argument is optional if the operation requires no `params`, `query` and `body`. */
export type Arguments<Id extends OperationId> =
  Record<never, never> extends Input<Id>
    ? [input?: Input<Id> & CallOptions]
    : [input: Input<Id> & CallOptions]

const defaultRateLimitWaitMs = 60_000
const defaultRetryMs = 1_000

/**
 * A typed client of the HTTP API, with every operation of `docs/openapi.json`, for browsers and Node (docs/client.md).
 *
 *     const api = new Api({ address: 'https://chat.example.org', token })
 *     const house = await api.call('createHouse', { body: { name: 'Lobby' } })
 */
export class Api {
  /** May be set at any time, for example after a login. */
  token: string | undefined
  readonly #prefix: string
  readonly #fetch: Fetch
  readonly #rateLimitWaitMs: number

  constructor({ address, token, fetch, rateLimitWaitMs = defaultRateLimitWaitMs }: ApiOptions) {
    this.token = token
    this.#prefix = `${address.replace(/\/+$/, '')}/v1`
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init))
    this.#rateLimitWaitMs = rateLimitWaitMs
  }

  /**
   * Calls an operation. Returns the `data` of the response: undefined for a 204, a Blob for a file. A message without a
   * nonce gets one, so that a repeated request creates no second message. Throws `ApiError`, and the reason of the signal
   * if it is aborted.
   */
  async call<Id extends OperationId>(operation: Id, ...[input]: Arguments<Id>): Promise<Answer<Id>> {
    const { params = {}, query = {}, body, ...options } = (input ?? {}) as AnyInput
    const { signal, onProgress, onNextPage, auditReason, rateLimitWaitMs = this.#rateLimitWaitMs } = options
    const [method, path] = paths[operation].split(' ') as [string, string]
    const url = this.#prefix + fillPath(path, params) + queryString(query)
    const content = method === 'GET' || method === 'DELETE' ? encode(body) : encodeFor(operation, body ?? {})
    const outgoing = { method, url, signal, onProgress, onNextPage, ...content }
    const headers = {
      ...content.headers,
      ...(this.token !== undefined && { Authorization: this.token }),
      ...(auditReason && { 'X-Audit-Reason': encodeURIComponent(auditReason.toWellFormed()) }),
    }
    return (await this.#sendWithRetry({ ...outgoing, headers }, rateLimitWaitMs)) as Answer<Id>
  }

  /** Sends a request, and repeats it after each 429 at the time that the response names, while the waits fit `maxWaitMs`. */
  async #sendWithRetry(outgoing: OutgoingRequest, maxWaitMs: number): Promise<unknown> {
    for (let leftMs = maxWaitMs; ; ) {
      try {
        const response = await send(this.#fetch, outgoing)
        const answer = await readAnswer(response)
        const before = nextPageOf(response)
        if (before !== null) outgoing.onNextPage?.(before)
        return answer
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 429) throw error
        const waitMs = error.retryAfterMs ?? defaultRetryMs
        leftMs -= waitMs
        if (leftMs < 0) throw error
        await sleep(waitMs, outgoing.signal)
      }
    }
  }
}

function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function queryString(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`
}

type Content = { headers: Record<string, string>; body: string | FormData | undefined }

function encodeFor(operation: OperationId, body: object): Content {
  if (operation === 'sendMediaMessage') return { headers: {}, body: mediaParts(body as SendMediaMessage) }
  return encode(operation === 'sendMessage' ? withNonce(body) : body)
}

function encode(body: object | undefined): Content {
  if (body === undefined) return { headers: {}, body: undefined }
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}
