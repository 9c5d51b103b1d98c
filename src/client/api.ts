import { ApiError } from './errors.ts'
import { type Fetch, readAnswer, send } from './http.ts'
import { mediaParts, withNonce } from './message-bodies.ts'
import type { Answer, Input, OperationId, SendMediaMessage } from './operations.ts'
import { paths } from './paths.ts'
import { sleep } from './sleep.ts'

export type ApiOptions = {
  /** The server's: `https://chat.example.org`, without a path; in a browser `''` is the page's own server. */
  address: string
  /** Of an account or a bot. Without one only the operations work that need none. */
  token?: string | undefined
  /** Instead of the global one. */
  fetch?: Fetch
  /** How long one call waits in all for its turn after 429 answers: a minute without it, 0 for not at all. */
  rateLimitWaitMs?: number
}

export type CallOptions = {
  signal?: AbortSignal | undefined
  /** How much of the body was sent: in browsers; elsewhere it is not called. */
  onProgress?: (sentBytes: number, totalBytes: number) => void
  /** Instead of the one of the `Api`. */
  rateLimitWaitMs?: number
  /** Why a house is changed: the audit log shows it. */
  auditReason?: string
}

type AnyInput = { params?: Record<string, string>; query?: object; body?: object } & CallOptions

/** Calls without `params`, `query` and `body` need no second argument. */
type Arguments<Id extends OperationId> =
  Record<never, never> extends Input<Id>
    ? [input?: Input<Id> & CallOptions]
    : [input: Input<Id> & CallOptions]

const defaultRateLimitWaitMs = 60_000
const defaultRetryMs = 1_000

/**
 * The HTTP API of a Hearth server: every operation of `docs/openapi.json`, typed, in browsers and Node.
 *
 *     const api = new Api({ address: 'https://chat.example.org', token })
 *     const house = await api.call('createHouse', { body: { name: 'Lobby' } })
 */
export class Api {
  /** May be set when it changes: after a login, say. */
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
   * Calls an operation and gives the data of its answer: undefined where there is none, a Blob where it is a file.
   * Messages get a nonce when they have none, so that the same call is never sent twice. Throws `ApiError`, and the
   * reason of the signal once that is aborted.
   */
  async call<Id extends OperationId>(operation: Id, ...[input]: Arguments<Id>): Promise<Answer<Id>> {
    const { params = {}, query = {}, body, ...options } = (input ?? {}) as AnyInput
    const { signal, onProgress, auditReason, rateLimitWaitMs = this.#rateLimitWaitMs } = options
    const [method, path] = paths[operation].split(' ') as [string, string]
    const url = this.#prefix + fill(path, params) + queryString(query)
    const content = method === 'GET' || method === 'DELETE' ? encode(body) : encodeFor(operation, body ?? {})
    const outgoing = { method, url, signal, onProgress, ...content }
    const headers = {
      ...content.headers,
      ...(this.token !== undefined && { Authorization: this.token }),
      ...(auditReason && { 'X-Audit-Reason': encodeURIComponent(auditReason.toWellFormed()) }),
    }
    return (await this.#sendInTurn({ ...outgoing, headers }, rateLimitWaitMs)) as Answer<Id>
  }

  /** Sends, and after a 429 once more when the server says so, as long as the waits do not pass the bound. */
  async #sendInTurn(outgoing: Parameters<typeof send>[1], mostMs: number): Promise<unknown> {
    for (let leftMs = mostMs; ; ) {
      try {
        return await readAnswer(await send(this.#fetch, outgoing))
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

function fill(path: string, params: Record<string, string>): string {
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
