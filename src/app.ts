import type { FastifyInstance } from 'fastify'
import { accountDeletionRoutes } from './accounts/deletion/routes.ts'
import { emailRoutes } from './accounts/email/routes.ts'
import { exportRoutes } from './accounts/exports/routes.ts'
import type { MailQueue } from './accounts/mails/operations.ts'
import { oidcRoutes } from './accounts/oidc/routes.ts'
import { passwordRoutes } from './accounts/passwords/routes.ts'
import { getVapidKeys } from './accounts/push-subscriptions/operations.ts'
import { pushSubscriptionRoutes } from './accounts/push-subscriptions/routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { sessionRoutes } from './accounts/sessions/routes.ts'
import { mfaRoutes } from './accounts/two-factor/routes.ts'
import { accountAdministrationRoutes } from './administration/accounts/routes.ts'
import { houseAdministrationRoutes } from './administration/houses/routes.ts'
import { administrationRoutes } from './administration/routes.ts'
import { createCodeGuesses } from './auth/code-guesses.ts'
import { registerAuthentication } from './auth/plugin.ts'
import type { Caller } from './auth/queries.ts'
import { type AccountLimits, createRateLimits, limitRoutes, requestCounter } from './auth/rate-limits.ts'
import { limitText } from './auth/text-limit.ts'
import { botRoutes } from './bots/routes.ts'
import type { Config } from './config.ts'
import { availabilityCheck, type Db } from './database/client.ts'
import type { DatabaseSpace } from './database/space/watch-space.ts'
import type { Bus } from './events/bus.ts'
import type { Outcome } from './events/commit.ts'
import { blockRoutes } from './friendships/block-routes.ts'
import { friendshipRoutes } from './friendships/routes.ts'
import type { Gateway } from './gateway/gateway.ts'
import { isForGateway, openGateway } from './gateway/plugin.ts'
import type { PresenceTracker } from './gateway/presence/presence-tracker.ts'
import type { GatewaySettings } from './gateway/settings.ts'
import { startDeletingOldEntries } from './houses/audit-log/operations.ts'
import { auditLogRoutes } from './houses/audit-log/routes.ts'
import { banRoutes } from './houses/bans/routes.ts'
import { entityRoutes } from './houses/entities/routes.ts'
import { inviteRoutes } from './houses/invites/routes.ts'
import { memberRoutes } from './houses/members/routes.ts'
import { ownHouseRoutes } from './houses/own-routes.ts'
import { housePictureRoutes } from './houses/picture-routes.ts'
import { retentionRoutes } from './houses/retention/routes.ts'
import { memberRoleRoutes } from './houses/roles/member-role-routes.ts'
import { roleRoutes } from './houses/roles/routes.ts'
import { houseRoutes } from './houses/routes.ts'
import { webhookExecutionRoutes } from './houses/webhooks/execution/routes.ts'
import { webhookRoutes } from './houses/webhooks/routes.ts'
import { readBodies } from './http/bodies/body.ts'
import { answerErrors } from './http/errors/error-handler.ts'
import { refuseGrowth } from './http/load/database-space.ts'
import { type DownloadLimits, limitDownloads } from './http/load/downloads.ts'
import type { SharedBuckets } from './http/load/shared-buckets.ts'
import { type LoadLimits, shedLoad } from './http/load/shedding.ts'
import { limitUnreadResponses, type UnreadResponseLimits } from './http/load/unread-responses.ts'
import { collectMetrics } from './http/metrics/metrics.ts'
import { metricsRoutes } from './http/metrics/metrics-routes.ts'
import { describeApi } from './http/openapi/openapi.ts'
import { normalizeIdParams } from './http/schemas/ids.ts'
import { type AddressOf, addressReader } from './http/server/address.ts'
import { forbidCaching, setDefaultHeaders } from './http/server/default-headers.ts'
import { healthRoutes } from './http/server/health.ts'
import { publicUrl } from './http/server/public-url.ts'
import { createServer } from './http/server/server.ts'
import { serveWebClient } from './http/server/web.ts'
import { budgetOf, type PictureBudget } from './images/budget.ts'
import type { Notice } from './mail/notices.ts'
import { attachmentRoutes } from './messages/attachments/routes.ts'
import { pinRoutes } from './messages/pins/routes.ts'
import { reactionRoutes } from './messages/reactions/routes.ts'
import { streamRoutes } from './messages/read/stream-routes.ts'
import { startSweeping } from './messages/removal/explosion-operations.ts'
import { startDeleting } from './messages/removal/operations.ts'
import { startRetention } from './messages/removal/retention-operations.ts'
import { messageRoutes } from './messages/routes.ts'
import { startIndexing } from './messages/search/index-operations.ts'
import { searchRoutes } from './messages/search/routes.ts'
import { mediaRoutes } from './messages/send/media-routes.ts'
import { createSender } from './messages/send/operations.ts'
import { nameSchemas } from './process/exported-schemas.ts'
import { openMailQueue, ownerNotifier } from './process/mailing.ts'
import { internet, type PushNetwork } from './push/network.ts'
import type { VapidKeys } from './push/transport.ts'
import { readStateRoutes } from './read-states/routes.ts'
import { overrideRoutes } from './rooms/overrides/routes.ts'
import { recipientRoutes } from './rooms/private-rooms/recipient-routes.ts'
import { privateRoomRoutes } from './rooms/private-rooms/routes.ts'
import { roomRoutes } from './rooms/routes.ts'
import { serverInformationRoutes } from './server-information/routes.ts'
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
    presences: PresenceTracker
    /** Undefined: no mail is sent. */
    mails: MailQueue | undefined
    /** Tells the owner of an account by mail, in the background; at `email`, if it is not the present address. */
    notifyOwner(accountId: string, notice: Notice, email?: string): void
    /** Undefined: push is not offered. */
    vapidKeys: VapidKeys | undefined
    pushNetwork: PushNetwork
    limits: AccountLimits
    pictureBudget(request: Pick<FastifyRequest, 'caller' | 'requireCaller'>): PictureBudget
    /** Undefined: the process counts rate limits by itself. */
    sharedBuckets: SharedBuckets | undefined
    gateway: Gateway
    addressOf: AddressOf
    /**
     * Publishes the events of an operation, and returns its answer. The weight of the events counts for the payer, if any.
     */
    publish<Answer>(outcome: Outcome<Answer>, payer?: Caller): Promise<Answer>
  }
}

export type AppParts = {
  config: Config
  db: Db
  store: Store
  bus: Bus
  presences: PresenceTracker
  /** The space of the database; undefined: not known. */
  databaseSpace?: DatabaseSpace
  /** Overrides the default settings of the gateway. */
  gateway?: Partial<GatewaySettings>
  loadLimits?: LoadLimits
  unreadLimits?: UnreadResponseLimits
  downloadLimits?: DownloadLimits
  /** Where pushes are sent, in place of the internet. */
  pushNetwork?: PushNetwork
  /** Memory for all request bodies, and the time for one to arrive. */
  bodyLimits?: { bytes?: number; timeoutMs?: number }
  /** The clock of the rate limits and of downloads, in ms. */
  now?: () => number
}

/** The server with all its routes, not yet listening. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { config, db, store, bus, presences } = parts
  const addressOf = addressReader(config.trustProxy)
  const app = createServer(config, addressOf, isForGateway)
  app.decorate('config', config)
  app.decorate('db', db)
  app.decorate('store', store)
  app.decorate('bus', bus)
  app.decorate('presences', presences)
  app.decorate('mails', openMailQueue(app))
  const sharedBuckets = await openSharedBuckets(app)
  const limits = createRateLimits(config, {
    shared: sharedBuckets,
    now: parts.now,
    onRefused: (name) => app.countRateLimited(name),
  })
  app.decorate('vapidKeys', config.vapidSubject === undefined ? undefined : await getVapidKeys(db))
  app.decorate('pushNetwork', parts.pushNetwork ?? internet)
  app.decorate('limits', limits.accounts)
  app.decorate('notifyOwner', ownerNotifier(app))
  app.decorate(
    'codeGuesses',
    createCodeGuesses(limits.accounts, (id) => app.notifyOwner(id, 'codes_guessed')),
  )
  app.decorate('pictureBudget', ({ caller, requireCaller }) => {
    return budgetOf(caller.owner_id, limits.accounts.pictures, requireCaller)
  })
  app.decorate('sharedBuckets', sharedBuckets)
  app.decorate('addressOf', addressOf)
  app.decorate('gateway', openGateway(app, limits.gatewayLogin, parts.gateway))
  app.decorate('publish', async <Answer>({ answer, events }: Outcome<Answer>, payer?: Caller) => {
    if (payer)
      app.gateway.weights.charge(
        payer.owner_id,
        events.flatMap((entry) => entry.events),
      )
    await bus.beginDelivery(events)
    return answer
  })

  // Hooks run in the order in which they are added here.
  setDefaultHeaders(app)
  shedLoad(app, availabilityCheck(db), parts.loadLimits)
  readBodies(app, parts.bodyLimits)
  normalizeIdParams(app)
  answerErrors(app)
  const countRequest = requestCounter(limits.requests)
  registerAuthentication(app, db, countRequest)
  limitRoutes(app, limits.requests, countRequest)
  limitText(app, limits.accounts.text)
  forbidCaching(app)
  limitDownloads(app, parts.downloadLimits, parts.now)
  limitUnreadResponses(app, parts.unreadLimits)
  refuseGrowth(app, parts.databaseSpace)
  collectMetrics(app, limits.names)
  await describeApi(app, nameSchemas)
  startBackgroundWork(app)

  for (const routes of plugins) await app.register(routes)
  await serveWebClient(app)
  const send = createSender(db, bus, () => publicUrl(app))
  for (const routes of sendingPlugins) await app.register(routes, { send })
  return app
}

const plugins = [
  accountAdministrationRoutes,
  accountDeletionRoutes,
  accountRoutes,
  administrationRoutes,
  attachmentRoutes,
  auditLogRoutes,
  banRoutes,
  blockRoutes,
  botRoutes,
  emailRoutes,
  entityRoutes,
  exportRoutes,
  friendshipRoutes,
  healthRoutes,
  houseAdministrationRoutes,
  housePictureRoutes,
  houseRoutes,
  inviteRoutes,
  memberRoleRoutes,
  memberRoutes,
  metricsRoutes,
  mfaRoutes,
  oidcRoutes,
  overrideRoutes,
  ownHouseRoutes,
  passwordRoutes,
  pinRoutes,
  privateRoomRoutes,
  pushSubscriptionRoutes,
  reactionRoutes,
  readStateRoutes,
  recipientRoutes,
  retentionRoutes,
  roleRoutes,
  roomRoutes,
  searchRoutes,
  serverInformationRoutes,
  sessionRoutes,
  settingsRoutes,
  streamRoutes,
  userPictureRoutes,
  userRoutes,
  webhookRoutes,
]

/** The routes that send messages; they share one `send`. */
const sendingPlugins = [mediaRoutes, messageRoutes, webhookExecutionRoutes]

/** The buckets in Redis, if rate limits are counted there. */
async function openSharedBuckets(app: FastifyInstance): Promise<SharedBuckets | undefined> {
  const { redisUrl, rateLimit } = app.config
  if (redisUrl === undefined || !rateLimit) return undefined
  const { openRedisBuckets } = await import('./http/load/redis-buckets.ts')
  const buckets = await openRedisBuckets(redisUrl, {
    began: (err) =>
      app.log.warn({ err }, 'rate limits cannot be counted in Redis: each process counts by itself'),
    ended: () => app.log.warn('rate limits are counted in Redis again'),
  })
  app.addHook('onClose', () => buckets.close())
  return buckets
}

/** What the app does regularly while it is open. */
function startBackgroundWork(app: FastifyInstance): void {
  const reporter = (message: string) => (err: unknown) => app.log.error({ err }, message)
  let stops: (() => Promise<void>)[] = []
  app.addHook('onReady', async () => {
    const { db, store, bus, config } = app
    stops = [
      startSweeping(db, store, bus, reporter('could not erase exploded messages')),
      startDeleting(db, reporter('could not delete the messages of removed rooms')),
      startIndexing(db, reporter('could not add messages to the search index')),
      startDeletingOldEntries(
        db,
        config.auditLogDays,
        reporter('could not delete old entries of audit logs'),
      ),
      startRetention(
        db,
        store,
        bus,
        config.messagesMaxAgeMs,
        reporter('could not delete messages past their age'),
      ),
    ]
  })
  app.addHook('onClose', async () => {
    await Promise.all(stops.map((stop) => stop()))
  })
}
