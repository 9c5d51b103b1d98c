import { ApiError } from './errors.ts'

/** A request to send. */
export type OutgoingRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | FormData | undefined
  signal: AbortSignal | undefined
  onProgress: ((sentBytes: number, totalBytes: number) => void) | undefined
  onNextPage: ((before: string) => void) | undefined
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Sends a request. Throws `ApiError` `unreachable` without a response, and the reason of the signal if it is aborted. */
export async function send(fetch: Fetch, request: OutgoingRequest): Promise<Response> {
  const { url, method, headers, body, signal, onProgress } = request
  // Node's fetch raises an uncaught error for a form with an aborted signal.
  if (signal?.aborted) throw signal.reason
  try {
    const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Upload }
    if (onProgress && XMLHttpRequest) return await sendByXhr(new XMLHttpRequest(), request)
    const init: RequestInit = { method, headers }
    if (body !== undefined) init.body = body
    if (signal) init.signal = signal
    return await fetch(url, init)
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new ApiError({ code: 'unreachable', message: 'The server does not respond', status: 0, cause })
  }
}

/** The used part of XMLHttpRequest, the only API that reports the progress of uploads. */
type Upload = {
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null }
  responseType: string
  response: ArrayBuffer
  status: number
  onload: (() => void) | null
  onerror: (() => void) | null
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: unknown): void
  abort(): void
}

function sendByXhr(xhr: Upload, { method, url, headers, body, signal, onProgress }: OutgoingRequest) {
  return new Promise<Response>((resolve, reject) => {
    xhr.open(method, url)
    xhr.responseType = 'arraybuffer'
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded, total)
    xhr.onload = () => resolve(asResponse(xhr))
    xhr.onerror = () => reject(new TypeError('the upload failed'))
    const abort = () => {
      xhr.abort()
      reject(signal!.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) reject(signal.reason)
    else xhr.send(body)
  })
}

function asResponse(xhr: Upload): Response {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/)
  const headers = lines.filter(Boolean).map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as [string, string]
  })
  return new Response(xhr.status === 204 ? null : xhr.response, { status: xhr.status, headers })
}

type Envelope = {
  success: boolean
  data?: unknown
  error?: { code: string; message: string }
  expires_at?: number
}

/** Reads the `data` of a response: undefined for a 204, a Blob for a file. Throws `ApiError` for a failure. */
export async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false
  if (response.ok && !isJson) return response.blob()
  const answer = isJson ? ((await response.json().catch(() => undefined)) as Envelope | undefined) : undefined
  if (response.ok && answer?.success === true) return answer.data
  // An unread body keeps its connection open.
  if (!isJson) await response.body?.cancel()
  const { status } = response
  const retryAfterMs = retryAfterOf(response, answer?.expires_at)
  const unreadable = { code: 'unreadable', message: `The answer (${status}) is not one of Hearth` }
  const { code, message } = answer?.error ?? unreadable
  throw new ApiError({ code, message, status, retryAfterMs })
}

/** The `before` of the next page that a response names by `Link`, or null. */
export function nextPageOf(response: Response): string | null {
  const query = /^<\?([^>]*)>; rel="next"$/.exec(response.headers.get('Link') ?? '')?.[1]
  return query === undefined ? null : new URLSearchParams(query).get('before')
}

/** The wait in ms that a response asks for: by `Retry-After`, else by `expires_at`, in seconds since 1970. */
function retryAfterOf(response: Response, expiresAt: number | undefined): number | undefined {
  const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10)
  if (Number.isFinite(seconds)) return seconds * 1000
  return expiresAt === undefined ? undefined : Math.max(0, expiresAt * 1000 - Date.now())
}
