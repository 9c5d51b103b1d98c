import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Config } from '../../config.ts'
import { ApiError } from '../../errors.ts'
import { maxBodyBytes } from '../bodies/body.ts'
import { sendFailure } from '../errors/error-handler.ts'
import { answerMalformedRequest, handleUnroutedRequests } from '../errors/malformed-requests.ts'
import { lazySchemas } from '../schemas/lazy-schemas.ts'
import { ajvOptions } from '../schemas/validation.ts'
import type { AddressOf } from './address.ts'
import { loggerOptions } from './logger.ts'

/** The timeouts that Fastify sets on the HTTP server, in ms. */
const timeouts = {
  /** For a whole request: an attachment of 25 MiB at 700 kbit/s. */
  requestTimeout: 300_000,
  /** For an idle connection: longer than the 60 s of common proxies, so that they are the ones to close. */
  keepAliveTimeout: 72_000,
  /** For a connection without traffic in the middle of a request or an answer. */
  connectionTimeout: 60_000,
} as const

/** Those that Node takes when the server is made. */
const nodeTimeouts = {
  /** For the headers of a request, which arrive at once except in slow-header attacks. */
  headersTimeout: 10_000,
  /** How often this and that of the whole request are checked; by default every 30 s. */
  connectionsCheckingInterval: 2_000,
} as const

const maxParamLength = 16_384
/** File descriptors reserved for other things than clients: the database, files being sent, modules. */
const reservedFiles = 1_024

/** Fastify with its options, without routes or hooks. `isUpgrade`: which requests for an upgrade are handled as one. */
export function createServer(
  config: Config,
  addressOf: AddressOf,
  isUpgrade: (request: IncomingMessage) => boolean,
): FastifyInstance {
  const app = Fastify({
    logger: loggerOptions(config.logLevel, addressOf),
    logController: new LogController({
      disableRequestLogging: !['debug', 'trace'].includes(config.logLevel),
    }),
    bodyLimit: maxBodyBytes,
    return503OnClosing: false,
    // A request without a Host header would be answered by Node itself, and not in the envelope.
    http: { shouldUpgradeCallback: isUpgrade, requireHostHeader: false, ...nodeTimeouts },
    ...timeouts,
    clientErrorHandler: answerMalformedRequest,
    ajv: ajvOptions,
    schemaController: { compilersFactory: lazySchemas },
    // A preflight gets the same answer everywhere, even for a path that cannot be read.
    rewriteUrl: ({ method, url = '/' }) => (method === 'OPTIONS' ? '/' : withService(withoutVersion(url))),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength },
    frameworkErrors: (_error, _request: FastifyRequest, reply) => {
      sendFailure(new ApiError('not_found'), reply)
    },
  })
  handleUnroutedRequests(app.server)
  limitConnections(app.server)
  return app
}

/** The path as the routes know it: without a leading `/v1`, and with the `@` of `@me` decoded. */
function withoutVersion(url: string): string {
  const path = withoutOrigin(url).replace(/^\/(v|%76)(1|%31)\//, '/')
  return path.includes('%40') ? path.replace(/^[^?]*/, (each) => each.replaceAll('%40', '@')) : path
}

/** The address of a webhook with the service that some senders append to it as a path: `…/slack`. */
function withService(url: string): string {
  return url.replace(/^(\/webhooks\/[^/?]+\/[^/?]+)\/(slack|github)\/?(?:\?|$)/, '$1?service=$2&')
}

/** A URL without scheme and host, which clients that use the server as a proxy include. */
export function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
}

/**
 * Limits connections to the open files that the process may have, less a reserve; further ones are closed at once.
 * There is no limit where that number is not known (it is read from `/proc`, on Linux).
 */
function limitConnections(server: Server): void {
  const limit = openFilesLimit()
  if (limit !== undefined) server.maxConnections = Math.max(limit - reservedFiles, Math.ceil(limit / 2))
}

/** How many files the process may have open, if that is known. */
export function openFilesLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +([0-9]+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}
