import type { FastifyInstance } from 'fastify'
import { accountDeletionRoutes } from './accounts/deletion-routes.ts'
import { emailRoutes } from './accounts/email-routes.ts'
import { mfaRoutes } from './accounts/mfa-routes.ts'
import { passwordRoutes } from './accounts/password-routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { sessionRoutes } from './accounts/session-routes.ts'
import { identifyCallers } from './auth/plugin.ts'
import { limitRates } from './auth/rate-limits.ts'
import { banRoutes } from './bans/routes.ts'
import { botRoutes } from './bots/routes.ts'
import type { Config } from './config.ts'
import { awayCheck, type Db } from './db/client.ts'
import { entityRoutes } from './entities/routes.ts'
import type { Bus, Outcome } from './events/bus.ts'
import { publishDoubts } from './events/doubts.ts'
import { blockRoutes } from './friendships/block-routes.ts'
import { friendshipRoutes } from './friendships/routes.ts'
import type { Gateway } from './gateway/gateway.ts'
import { isForGateway, openGateway } from './gateway/plugin.ts'
import type { GatewaySettings } from './gateway/settings.ts'
import { ownHouseRoutes } from './houses/own-routes.ts'
import { housePictureRoutes } from './houses/picture-routes.ts'
import { houseRoutes } from './houses/routes.ts'
import { type AddressOf, addressReader } from './http/address.ts'
import { readBodies } from './http/body.ts'
import { answerErrors } from './http/error-handler.ts'
import { healthRoutes } from './http/health.ts'
import { readIds } from './http/ids.ts'
import { measure } from './http/metrics.ts'
import { metricsRoutes } from './http/metrics-routes.ts'
import { describeApi } from './http/openapi.ts'
import { publicUrl } from './http/public-url.ts'
import { createServer } from './http/server.ts'
import { type LoadLimits, shedLoad } from './http/shedding.ts'
import { keepOutOfCaches, setStandingHeaders } from './http/standing-headers.ts'
import { boundUnreadAnswers, type UnreadLimits } from './http/unread-answers.ts'
import { inviteRoutes } from './invites/routes.ts'
import { type Mailer, openMailer } from './mail/mailer.ts'
import { memberRoutes } from './members/routes.ts'
import { attachmentRoutes } from './messages/attachment-routes.ts'
import { startSweeping } from './messages/explosion-operations.ts'
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
    /** Undefined: no mail is sent. */
    mailer: Mailer | undefined
    gateway: Gateway
    addressOf: AddressOf
    /** Publishes the events of an operation, and returns its answer. */
    publish<Answer>(outcome: Outcome<Answer>): Promise<Answer>
  }
}

export type AppParts = {
  config: Config
  db: Db
  store: Store
  bus: Bus
  /** Overrides the default settings of the gateway. */
  gateway?: Partial<GatewaySettings>
  loadLimits?: LoadLimits
  unreadLimits?: UnreadLimits
  /** The clock of the rate limits, in ms. */
  now?: () => number
}

/** The server with all its routes, not yet listening. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { config, db, store, bus } = parts
  const addressOf = addressReader(config.trustProxy)
  const stopDoubts = publishDoubts(db, bus)
  const app = createServer(config, addressOf, isForGateway)
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

  app.addHook('onClose', async () => stopDoubts())

  // Hooks run in the order in which they are added here.
  setStandingHeaders(app)
  shedLoad(app, awayCheck(db), parts.loadLimits)
  measure(app)
  readBodies(app)
  readIds(app)
  answerErrors(app)
  identifyCallers(app, db)
  await limitRates(app, config, parts.now)
  keepOutOfCaches(app)
  boundUnreadAnswers(app, parts.unreadLimits)
  await describeApi(app)
  sweepExploded(app)

  for (const routes of plugins) await app.register(routes)
  const send = openSending(db, bus, () => publicUrl(app))
  for (const routes of sendingPlugins) await app.register(routes, { send })
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

/** The routes that send messages; they share one `send`. */
const sendingPlugins = [mediaRoutes, messageRoutes]

function mailerOf(app: FastifyInstance): Mailer | undefined {
  const { smtpUrl, mailFrom } = app.config
  if (smtpUrl === undefined) return undefined
  const mailer = openMailer(smtpUrl, mailFrom, (reason) => app.log.warn({ reason }, 'a mail was not sent'))
  app.addHook('onClose', () => mailer.close())
  return mailer
}

/** Deletes exploding messages from when the app is ready until it closes. */
function sweepExploded(app: FastifyInstance): void {
  let stop = async () => {}
  app.addHook('onReady', async () => {
    const report = (error: unknown) => app.log.error({ err: error }, 'could not erase exploded messages')
    stop = startSweeping(app.db, app.store, app.bus, report)
  })
  app.addHook('onClose', () => stop())
}
