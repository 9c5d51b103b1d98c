import type { IncomingMessage } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { AddressOf } from './address.ts'
import { maxBodyBytes } from './body.ts'
import { sendFailure } from './error-handler.ts'
import { lazySchemas } from './lazy-schemas.ts'
import { loggerOptions } from './logger.ts'
import { timeouts } from './timeouts.ts'
import { answerUnreadable, answerUnrouted } from './unreadable.ts'
import { ajvOptions } from './validation.ts'

const maxParamLength = 16_384

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
    http: { shouldUpgradeCallback: isUpgrade, requireHostHeader: false, ...timeouts },
    keepAliveTimeout: timeouts.keepAliveTimeout,
    requestTimeout: timeouts.requestTimeout,
    connectionTimeout: timeouts.connectionTimeout,
    clientErrorHandler: answerUnreadable,
    ajv: ajvOptions,
    schemaController: { compilersFactory: lazySchemas },
    // A preflight gets the same answer everywhere, even for a path that cannot be read.
    rewriteUrl: ({ method, url = '/' }) => (method === 'OPTIONS' ? '/' : withoutVersion(url)),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength },
    frameworkErrors: (_error, _request: FastifyRequest, reply) => {
      sendFailure(new ApiError('not_found'), reply)
    },
  })
  answerUnrouted(app.server)
  return app
}

/** The path as the routes know it: without a leading `/v1`, and with the `@` of `@me` decoded. */
function withoutVersion(url: string): string {
  // A client that takes the server for a proxy sends the whole URL.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
  const path = target.startsWith('/v1/') ? target.slice(3) : target
  return path.includes('%40') ? path.replace(/^[^?]*/, (each) => each.replaceAll('%40', '@')) : path
}
