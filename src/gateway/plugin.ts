import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { WebSocketServer } from 'ws'
import { limitHeaders } from '../auth/rate-counters.ts'
import { ApiError } from '../errors.ts'
import { networkOf } from '../http/address.ts'
import { retryAfterSeconds } from '../http/error-handler.ts'
import { publicUrl } from '../http/public-url.ts'
import { answerRaw } from '../http/raw-failure.ts'
import { withoutOrigin } from '../http/server.ts'
import { Connection, ConnectionSocket, ignore } from './connection.ts'
import { createFailedLogins } from './failed-logins.ts'
import type { Encoding } from './frames.ts'
import { Gateway } from './gateway.ts'
import { describeEvents } from './schemas.ts'
import { defaultSettings, type GatewaySettings, maxFrameBytes } from './settings.ts'

/**
 * So many pongs may wait to be written before ws drops the connection, without a close code; its own bound is 60, which
 * a client passes that pings while a big state is still on its way to it. Its types do not know the option.
 */
const pongLimit = { maxPendingAutoPongs: 1_024 }

/** Whether an upgrade request is for the gateway; all others are answered as if they did not ask for an upgrade. */
export function isForGateway(request: Pick<IncomingMessage, 'url' | 'headers' | 'method'>): boolean {
  if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket') return false
  return /^(?:\/v1)?\/socket\/?$/.test(decodedPath(request.url ?? ''))
}

/**
 * Opens the gateway on the app's server, at `/socket` and `/v1/socket`. It has no routes except that of the events'
 * schemas.
 */
export function openGateway(app: FastifyInstance, changed: Partial<GatewaySettings> = {}): Gateway {
  const settings = { ...defaultSettings, ...changed }
  const limit = app.config.rateLimits.gateway
  const failedLogins = createFailedLogins(limit)
  const gateway = new Gateway({
    db: app.db,
    bus: app.bus,
    log: app.log,
    settings,
    failedLogins,
    origin: () => publicUrl(app),
  })
  const sockets = new WebSocketServer({
    WebSocket: ConnectionSocket,
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    ...pongLimit,
    maxPayload: maxFrameBytes,
    // Text that is not UTF-8 is treated like any other bad frame.
    skipUTF8Validation: true,
  })
  // A faulty upgrade is answered like an unknown path.
  sockets.on('wsClientError', (_error, stream) => answerRaw(stream, new ApiError('not_found')))
  let stopping = false

  app.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', ignore)
    const address = networkOf(app.addressOf(request))
    const waitSeconds = app.config.rateLimit ? failedLogins.waitSeconds(address) : 0
    if (stopping) return stream.destroy()
    if (app.load.isTooMuch()) {
      return answerRaw(stream, new ApiError('unavailable'), { 'Retry-After': retryAfterSeconds })
    }
    if (waitSeconds > 0) return refuse(stream, limit.burst, waitSeconds)
    // There are no subprotocols: ws would refuse clients that name one in an invalid way.
    delete request.headers['sec-websocket-protocol']
    sockets.handleUpgrade(request, stream, head, (socket) => {
      // From now on ws handles errors.
      stream.off('error', ignore)
      const encoding = encodingOf(request.url ?? '')
      gateway.open(new Connection({ socket, stream, encoding, address, listener: gateway, settings }))
    })
  })
  app.get('/docs/events.json', { schema: { hide: true } }, async () => describeEvents())
  app.addHook('preClose', async () => {
    stopping = true
    await gateway.stop()
  })
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

/** Lenient (existing clients send `compression=text_json?encoding=json`): only what begins with `zlib` is zlib. */
function encodingOf(url: string): Encoding {
  const query = url.slice(url.indexOf('?') + 1)
  return new URLSearchParams(query).get('compression')?.startsWith('zlib') ? 'zlib' : 'text'
}

/** Too many failed logins (PROTOCOL 1.7). */
function refuse(stream: Duplex, limit: number, waitSeconds: number): void {
  const headers = limitHeaders({ limit, remaining: 0, ttl: waitSeconds * 1000 }, Date.now())
  const expires_at = headers['x-ratelimit-reset']
  answerRaw(stream, new ApiError('rate_limit'), { 'Retry-After': waitSeconds, ...headers }, { expires_at })
}
