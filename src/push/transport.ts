import type { IncomingMessage } from 'node:http'
import type { Agent, RequestOptions } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { RequestDetails } from 'web-push'
import { stallTolerantTimeout } from '../concurrency/stall-tolerant-timeout.ts'
import { type Address, allowedAddresses, type PushNetwork } from './network.ts'

/** Where a browser is pushed to, and the keys that only it can decrypt with, in base64url. */
export type PushTarget = { endpoint: string; p256dh: string; auth: string }

export type VapidKeys = { public_key: string; private_key: string }

export type Push = {
  payload: string
  /** Seconds for which the push service keeps it while the browser is not reachable. */
  ttlSeconds: number
  urgency: 'normal' | 'high'
  /** Of two pushes with one topic that wait at the push service, the newer one replaces the older one. */
  topic: string
}

/**
 * What came of a push. `gone`: the subscription has ended. `failed`: anything else that the push service did not accept,
 * with the time after which it wants to be asked again.
 */
export type PushResult = 'delivered' | 'gone' | { failed: string; retryAfterMs: number }

export type PushTransport = {
  send(target: PushTarget, push: Push): Promise<PushResult>
  /** Lets everything that is being sent fail. */
  close(): void
}

/** For all of it: finding the host, connecting, and the headers of the answer. */
const timeoutMs = 10_000
/** Of an answer after its headers. */
const maxRestBytes = 16_384
const restMs = 1_000
const maxFreeSockets = 8
const freeSocketMs = 15_000
const maxRetryAfterMs = 3_600_000

/** Not an `import`, which would evaluate all exports of `node:http`, among them the HTTP client: that takes 13 MB. */
const https = process.getBuiltinModule('node:https')

/** Sends pushes as an installation: encrypted (RFC 8291), signed with its keys (RFC 8292), over connections of its own. */
export function openPushTransport(subject: string, keys: VapidKeys, network: PushNetwork): PushTransport {
  // An agent of its own uses no proxy of the environment, which would resolve names again.
  const agent = new https.Agent({ keepAlive: true, maxFreeSockets, timeout: freeSocketMs })
  const closing = new AbortController()
  const vapidDetails = { subject, publicKey: keys.public_key, privateKey: keys.private_key }

  async function send({ endpoint, p256dh, auth }: PushTarget, push: Push): Promise<PushResult> {
    const url = new URL(endpoint)
    const { signal, cancel } = timeLimit(closing.signal)
    try {
      const addresses = await orAbort(allowedAddresses(url, network), signal)
      const { generateRequestDetails } = (await import('web-push')).default
      const { payload, ttlSeconds: TTL, urgency, topic } = push
      const request = generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
        vapidDetails,
        TTL,
        urgency,
        topic,
      })
      const post = () => answerOf(request, optionsFor(url, request, addresses, agent), signal)
      return resultOf(
        await post().catch((error) => (isStaleConnection(error) ? post() : Promise.reject(error))),
      )
    } catch (error) {
      return { failed: reasonOf(error), retryAfterMs: 0 }
    } finally {
      cancel()
    }
  }

  return {
    send,
    close() {
      closing.abort(new Error('closing'))
      agent.destroy()
    },
  }
}

function timeLimit(closing: AbortSignal): { signal: AbortSignal; cancel: () => void } {
  const controller = new AbortController()
  const cancel = stallTolerantTimeout(timeoutMs, () => controller.abort(new Error('timeout')))
  return { signal: AbortSignal.any([controller.signal, closing]), cancel }
}

function orAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    work.then(resolve, reject)
  })
}

/** Connects to the addresses that were checked, and to no other: the name is not resolved again. */
function optionsFor(
  url: URL,
  { headers }: RequestDetails,
  addresses: Address[],
  agent: Agent,
): RequestOptions {
  const lookup: LookupFunction = (_, { all }, done) => {
    const [first] = addresses
    if (all) done(null, addresses)
    else done(null, first!.address, first!.family)
  }
  const { port, pathname, search } = url
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { method: 'POST', host, port, path: pathname + search, headers, agent, lookup, timeout: timeoutMs }
}

type PushAnswer = { status: number; retryAfter: string | undefined }

/** The answer to a request, as soon as its headers are here. Redirects are not followed. */
function answerOf(
  { body }: RequestDetails,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<PushAnswer> {
  return new Promise((resolve, reject) => {
    const request = https.request({ ...options, signal }, (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
      discardRest(response)
    })
    request.on('error', (error) => reject(Object.assign(error, { reusedSocket: request.reusedSocket })))
    request.end(body)
  })
}

/** Reads the rest of an answer, so that the connection can be used again; one with much of it, or a slow one, is closed. */
function discardRest(response: IncomingMessage): void {
  let bytes = 0
  const timer = setTimeout(() => response.destroy(), restMs).unref()
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxRestBytes) response.destroy()
  })
  response.on('error', () => {})
  response.on('close', () => clearTimeout(timer))
}

/** Whether the push service closed a kept connection as this request used it again. */
function isStaleConnection(error: unknown): boolean {
  const { code, reusedSocket } = error as { code?: string; reusedSocket?: boolean }
  return reusedSocket === true && (code === 'ECONNRESET' || code === 'EPIPE')
}

function resultOf({ status, retryAfter }: PushAnswer): PushResult {
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 404 || status === 410) return 'gone'
  return { failed: `status ${status}`, retryAfterMs: readRetryAfter(retryAfter) }
}

/** The ms of a `Retry-After` in seconds or as a date; 0 without one. */
function readRetryAfter(text = ''): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), maxRetryAfterMs)
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
