import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { accountDeletionRoutes } from './accounts/deletion-routes.ts'
import { emailRoutes } from './accounts/email-routes.ts'
import { mfaRoutes } from './accounts/mfa-routes.ts'
import { passwordRoutes } from './accounts/password-routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { sessionRoutes } from './accounts/session-routes.ts'
import { identifyCallers } from './auth/plugin.ts'
import { limitRates } from './auth/rate-limits.ts'
import { markSecured } from './auth/secured-routes.ts'
import { banRoutes } from './bans/routes.ts'
import { botRoutes } from './bots/routes.ts'
import type { Config } from './config.ts'
import { awayCheck, type Db } from './db/client.ts'
import { entityRoutes } from './entities/routes.ts'
import { ApiError } from './errors.ts'
import type { Bus, Outcome } from './events/bus.ts'
import { blockRoutes } from './friendships/block-routes.ts'
import { friendshipRoutes } from './friendships/routes.ts'
import type { Gateway } from './gateway/gateway.ts'
import { isForGateway, openGateway } from './gateway/plugin.ts'
import type { GatewaySettings } from './gateway/settings.ts'
import { ownHouseRoutes } from './houses/own-routes.ts'
import { housePictureRoutes } from './houses/picture-routes.ts'
import { houseRoutes } from './houses/routes.ts'
import { type AddressOf, addressReader } from './http/address.ts'
import { maxBodyBytes, readBodies } from './http/body.ts'
import { answerErrors, sendFailure } from './http/error-handler.ts'
import { healthRoutes } from './http/health.ts'
import { readIds } from './http/ids.ts'
import { lazySchemas } from './http/lazy-schemas.ts'
import { loggerOptions } from './http/logger.ts'
import { measure } from './http/metrics.ts'
import { metricsRoutes } from './http/metrics-routes.ts'
import { describeApi } from './http/openapi.ts'
import { publicUrl } from './http/public-url.ts'
import { type LoadLimits, shedLoad } from './http/shedding.ts'
import { keepOutOfCaches, setStandingHeaders } from './http/standing-headers.ts'
import { limitConnections, timeouts } from './http/timeouts.ts'
import { answerUnreadable, answerUnrouted } from './http/unreadable.ts'
import { ajvOptions } from './http/validation.ts'
import { inviteRoutes } from './invites/routes.ts'
import { type Mailer, openMailer } from './mail/mailer.ts'
import { memberRoutes } from './members/routes.ts'
import { attachmentRoutes } from './messages/attachment-routes.ts'
import { mediaRoutes } from './messages/media-routes.ts'
import { messageRoutes } from './messages/routes.ts'
import { searchRoutes } from './messages/search-routes.ts'
import { openSending } from './messages/send-operations.ts'
import { streamRoutes } from './messages/stream-routes.ts'
import { readStateRoutes } from './read-states/routes.ts'
import { memberRoleRoutes } from './roles/member-role-routes.ts'
import { roleRoutes } from './roles/routes.ts'
import { overrideRoutes } from './rooms/override-routes.ts'
import { privateRoomRoutes } from './rooms/private-room-routes.ts'
import { recipientRoutes } from './rooms/recipient-routes.ts'
import { roomRoutes } from './rooms/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import type { Store } from './storage/store.ts'
import { userPictureRoutes } from './users/picture-routes.ts'
import { userRoutes } from './users/routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    config: Config
    db: Db
    store: Store
    bus: Bus
    /** Undefined: no mail goes out. */
    mailer: Mailer | undefined
    gateway: Gateway
    addressOf: AddressOf
    /** Publishes what an operation says has happened, and gives back its answer. */
    publish<Answer>(outcome: Outcome<Answer>): Promise<Answer>
  }
}

export type AppParts = {
  config: Config
  db: Db
  store: Store
  bus: Bus
  /** What differs from the gateway's usual times and bounds. */
  gateway?: Partial<GatewaySettings>
  loadLimits?: LoadLimits
  /** The clock of the rate limits, in ms. */
  now?: () => number
}

const maxParamLength = 16_384

/** The server with all its routes, not yet listening. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { config, db, store, bus } = parts
  const addressOf = addressReader(config.trustProxy)
  const app = createServer(config, addressOf)
  app.decorate('config', config)
  app.decorate('db', db)
  app.decorate('store', store)
  app.decorate('bus', bus)
  app.decorate('mailer', mailerOf(app))
  app.decorate('addressOf', addressOf)
  app.decorate('gateway', openGateway(app, parts.gateway))
  app.decorate('publish', async <Answer>({ answer, events }: Outcome<Answer>) => {
    await bus.publish(events)
    return answer
  })

  // Hooks run in the order in which they are added here.
  setStandingHeaders(app)
  limitConnections(app.server)
  shedLoad(app, awayCheck(db), parts.loadLimits)
  measure(app)
  readBodies(app)
  readIds(app)
  answerErrors(app)
  identifyCallers(app, db)
  markSecured(app)
  await limitRates(app, config, parts.now)
  keepOutOfCaches(app)
  await describeApi(app)

  for (const routes of plugins) await app.register(routes)
  const sending = openSending(
    db,
    (events) => bus.publish(events),
    () => publicUrl(app),
    () => bus.isShared,
  )
  for (const routes of sendingPlugins) await app.register(routes, { sending })
  return app
}

const plugins = [
  accountDeletionRoutes,
  accountRoutes,
  attachmentRoutes,
  banRoutes,
  blockRoutes,
  botRoutes,
  emailRoutes,
  entityRoutes,
  friendshipRoutes,
  healthRoutes,
  housePictureRoutes,
  houseRoutes,
  inviteRoutes,
  memberRoleRoutes,
  memberRoutes,
  metricsRoutes,
  mfaRoutes,
  overrideRoutes,
  ownHouseRoutes,
  passwordRoutes,
  privateRoomRoutes,
  readStateRoutes,
  recipientRoutes,
  roleRoutes,
  roomRoutes,
  searchRoutes,
  sessionRoutes,
  settingsRoutes,
  streamRoutes,
  userPictureRoutes,
  userRoutes,
]

/** Those by which messages are sent: all of them by one `sending`. */
const sendingPlugins = [mediaRoutes, messageRoutes]

function createServer(config: Config, addressOf: AddressOf): FastifyInstance {
  const app = Fastify({
    logger: loggerOptions(config.logLevel, addressOf),
    logController: new LogController({
      disableRequestLogging: !['debug', 'trace'].includes(config.logLevel),
    }),
    bodyLimit: maxBodyBytes,
    return503OnClosing: false,
    // Without a Host header Node itself would answer, and not in the envelope.
    http: { shouldUpgradeCallback: isForGateway, requireHostHeader: false, ...timeouts },
    keepAliveTimeout: timeouts.keepAliveTimeout,
    requestTimeout: timeouts.requestTimeout,
    connectionTimeout: timeouts.connectionTimeout,
    clientErrorHandler: answerUnreadable,
    ajv: ajvOptions,
    schemaController: { compilersFactory: lazySchemas },
    // A preflight is answered alike everywhere, even where no path can be read.
    rewriteUrl: ({ method, url = '/' }) => (method === 'OPTIONS' ? '/' : withoutVersion(url)),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength },
    frameworkErrors: (_error, _request: FastifyRequest, reply) => {
      sendFailure(new ApiError('not_found'), reply)
    },
  })
  answerUnrouted(app.server)
  return app
}

function mailerOf(app: FastifyInstance): Mailer | undefined {
  const { smtpUrl, mailFrom } = app.config
  if (smtpUrl === undefined) return undefined
  const mailer = openMailer(smtpUrl, mailFrom, (reason) => app.log.warn({ reason }, 'a mail was not sent'))
  app.addHook('onClose', () => mailer.close())
  return mailer
}

/** Every path is served under `/v1` and at the root; `@me` may come with its `@` encoded. */
function withoutVersion(url: string): string {
  // To a proxy, and so to us when we are taken for one, the whole address is sent.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
  const path = target.startsWith('/v1/') ? target.slice(3) : target
  return path.includes('%40') ? path.replace(/^[^?]*/, (each) => each.replaceAll('%40', '@')) : path
}
