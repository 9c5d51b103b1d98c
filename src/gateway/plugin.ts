import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { WebSocketServer } from 'ws'
import { ApiError } from '../errors.ts'
import { retryAfterSeconds } from '../http/errors/error-handler.ts'
import { writeRawFailure } from '../http/errors/raw-failure.ts'
import { limitHeaders, type RateLimit } from '../http/load/rate-limit.ts'
import { networkOf } from '../http/server/address.ts'
import { documentSender } from '../http/server/document.ts'
import { publicUrl } from '../http/server/public-url.ts'
import { withoutOrigin } from '../http/server/server.ts'
import { Gateway } from './gateway.ts'
import type { Refusal } from './refusals.ts'
import { describeEvents } from './schemas.ts'
import {
  defaultSettings,
  type GatewaySettings,
  maxBufferedChunks,
  maxFragments,
  maxFrameBytes,
  settingsWithoutRateLimit,
} from './settings.ts'
import { Connection, ConnectionSocket, ignore } from './transport/connection.ts'
import type { Encoding } from './transport/frames.ts'

/**
 * ws drops a connection at which more pongs are unsent, without a close code. Its default is 60: too few for a client
 * that pings while a large state is being sent. Its types do not know the option.
 */
const pongLimit = { maxPendingAutoPongs: 1_024 }

/** Whether a request is an upgrade for the gateway. All others are answered as if they did not ask for an upgrade. */
export function isForGateway(request: Pick<IncomingMessage, 'url' | 'headers' | 'method'>): boolean {
  if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket') return false
  return /^(?:\/v1)?\/socket\/?$/.test(decodedPath(request.url ?? ''))
}

/**
 * Opens the gateway at `/socket` and `/v1/socket` of the app's server, and a route for the schemas of its events.
 * `failedLogins` limits the failed logins of an address.
 */
export function openGateway(
  app: FastifyInstance,
  failedLogins: RateLimit,
  changed: Partial<GatewaySettings> = {},
): Gateway {
  const usual = app.config.rateLimit ? {} : settingsWithoutRateLimit
  const settings = { ...defaultSettings, ...usual, ...changed }
  const { burst } = app.config.rateLimits.gateway
  const gateway = new Gateway({
    db: app.db,
    bus: app.bus,
    presences: app.presences,
    log: app.log,
    settings,
    addFailedLogin: (address) => void failedLogins.allows(address),
    origin: () => publicUrl(app),
  })
  const sockets = new WebSocketServer({
    WebSocket: ConnectionSocket,
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    ...pongLimit,
    maxPayload: maxFrameBytes,
    maxFragments,
    maxBufferedChunks,
    // Text that is not UTF-8 closes the connection as `bad_frame`.
    skipUTF8Validation: true,
  })
  const sendEvents = documentSender('application/json; charset=utf-8', () => JSON.stringify(describeEvents()))
  // An invalid upgrade is answered like an unknown path.
  sockets.on('wsClientError', (_error, stream) => writeRawFailure(stream, new ApiError('not_found')))

  /** Why an address may not open a socket now, and when it may. */
  const refusalOf = async (
    address: string,
  ): Promise<{ why: Refusal; limit: number; waitSeconds: number } | undefined> => {
    const { endedEarly, maxUnauthenticatedPerAddress: most, loginTimeoutMs } = settings
    const earlySeconds = Math.ceil(gateway.waitAfterEarlyEndsMs(address) / 1_000)
    if (earlySeconds > 0) return { why: 'ended_early', limit: endedEarly.burst, waitSeconds: earlySeconds }
    const waitSeconds = Math.ceil((await failedLogins.waitMs(address)) / 1_000)
    if (waitSeconds > 0) return { why: 'failed_logins', limit: burst, waitSeconds }
    // By then each of them has logged in or is closed.
    if (gateway.countUnauthenticated(address) >= most)
      return { why: 'not_logged_in', limit: most, waitSeconds: loginTimeoutMs / 1_000 }
    return undefined
  }

  app.server.on('upgrade', async (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', ignore)
    const address = networkOf(app.addressOf(request))
    if (gateway.isStopping || app.load.isTooMuch()) return refuseUnavailable(stream)
    if (app.config.rateLimit) {
      const refused = await refusalOf(address)
      if (gateway.isStopping) return refuseUnavailable(stream)
      if (refused) {
        gateway.refusals.note(refused.why)
        return refuse(stream, refused.limit, refused.waitSeconds)
      }
    }
    // ws would refuse a client whose header is invalid, and there are no subprotocols.
    delete request.headers['sec-websocket-protocol']
    sockets.handleUpgrade(request, stream, head, (socket) => {
      // ws handles errors from now on.
      stream.off('error', ignore)
      const encoding = encodingOf(request.url ?? '')
      gateway.open(new Connection({ socket, stream, encoding, address, listener: gateway, settings }))
    })
  })
  app.get('/docs/events.json', { schema: { hide: true } }, sendEvents)
  app.addHook('preClose', () => gateway.stop())
  return gateway
}

function decodedPath(url: string): string {
  const path = withoutOrigin(url).split('?', 1)[0]!
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Whatever begins with `zlib` is zlib (existing clients send `compression=text_json?encoding=json`). */
function encodingOf(url: string): Encoding {
  const query = url.slice(url.indexOf('?') + 1)
  return new URLSearchParams(query).get('compression')?.startsWith('zlib') ? 'zlib' : 'text'
}

function refuseUnavailable(stream: Duplex): void {
  writeRawFailure(stream, new ApiError('unavailable'), { 'Retry-After': retryAfterSeconds })
}

/** Answers 429: too many failed logins, or connections that are not logged in or have ended before a login. */
function refuse(stream: Duplex, limit: number, waitSeconds: number): void {
  const headers = limitHeaders(limit, 0, waitSeconds * 1000, Date.now())
  const expires_at = headers['x-ratelimit-reset']
  writeRawFailure(
    stream,
    new ApiError('rate_limit'),
    { 'Retry-After': waitSeconds, ...headers },
    { expires_at },
  )
}
