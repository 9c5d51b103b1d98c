import { timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../errors.ts'
import { documentedAs } from '../../http/schemas/documented.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { IdParams } from '../../http/schemas/params.ts'
import { publicUrl } from '../../http/server/public-url.ts'
import { mediaHeaders } from '../../images/serve.ts'
import { openFile } from '../../storage/store.ts'
import { startExporting } from './making-operations.ts'
import { findOwnExport, requestExport } from './operations.ts'
import { exportFile, findExport } from './queries.ts'
import { AccountExport, RequestExport } from './schemas.ts'
import { serializeExport } from './serializers.ts'

const ExportFileQuery = Type.Object({
  key: Type.Optional(documentedAs(Type.Unknown(), { type: 'string', description: '64 hex characters' })),
})
const Archive = {
  description: 'The ZIP archive',
  content: { 'application/zip': { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) } },
}

export const exportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const wake = makeExports(app)

  app.post(
    '/users/@me/export',
    {
      config: { limitedAs: 'secrets' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'requestExport',
        summary: 'Request an archive of your account',
        tags: ['accounts'],
        body: RequestExport,
        response: { 200: Success(AccountExport), ...failures },
      },
    },
    async ({ caller, body }, reply) => {
      const count = () => app.limits.exports.count(caller.id, { reply, onlyRefused: true })
      const row = await requestExport(app.db, caller, body.password, count)
      wake()
      return ok(serializeExport(caller.id, row, publicUrl(app)))
    },
  )

  app.get(
    '/users/@me/export',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'getExport',
        summary: 'Fetch the state of the archive of your account',
        tags: ['accounts'],
        response: { 200: Success(AccountExport), ...failures },
      },
    },
    async ({ caller }) => ok(serializeExport(caller.id, await findOwnExport(app.db, caller), publicUrl(app))),
  )

  app.get(
    '/exports/:user_id',
    {
      schema: {
        operationId: 'getExportFile',
        summary: 'Fetch the archive of an account',
        tags: ['media'],
        params: IdParams('user_id'),
        querystring: ExportFileQuery,
        response: { 200: Archive, ...failures },
      },
    },
    async ({ params: { user_id }, query }, reply) => {
      const row = await findExport(app.db, user_id)
      if (!row?.expires_at || !isKey(query.key, row.key)) throw new ApiError('not_found')
      // Opened before the headers are set, as a failure must not have them.
      const opened = await openFile(app.store, exportFile({ user_id, key: row.key }))
      if (!opened) throw new ApiError('not_found')
      reply.headers({
        ...mediaHeaders,
        'Content-Type': 'application/zip',
        'Content-Disposition': 'attachment; filename="hearth-export.zip"',
        'Cache-Control': 'private, no-store',
        'Content-Length': opened.size,
      })
      return reply.send(opened.content)
    },
  )
}

/** Makes exports from when the app is ready until it closes. Returns how to look for one at once. */
function makeExports(app: FastifyInstance): () => void {
  let exporter: ReturnType<typeof startExporting> | undefined
  app.addHook('onReady', async () => {
    const report = (error: unknown) => app.log.error({ err: error }, 'could not make an export')
    exporter = startExporting(app.db, app.store, report)
  })
  app.addHook('onClose', () => exporter?.stop())
  return () => exporter?.wake()
}

function isKey(given: unknown, key: string): boolean {
  if (typeof given !== 'string' || !/^[0-9a-f]{64}$/.test(given)) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(key))
}
