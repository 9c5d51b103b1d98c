import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify'
import { publicUrl } from './public-url.ts'

/** Where `scripts/prepare.js` builds the web client. */
const builtClient = join(import.meta.dirname, '../../../dist/web')

/** The files beside the page whose names have no hash: the worker, the manifest and the icons. */
const plainFile = /^[a-z0-9-]+\.(?:js|webmanifest|svg|png|ico)$/

const config = { limitedAs: 'files' } as const
const schema = { hide: true }

const hashedFile = /^[\w-][\w.-]*$/

/** Whether there is a web client to serve. */
export function isWebClientBuilt(root = builtClient): boolean {
  return existsSync(join(root, 'index.html'))
}

/** Serves the web client under `/app/`, unless `WEB=off` or it has not been built (docs/web.md). */
export async function serveWebClient(app: FastifyInstance, root = builtClient): Promise<void> {
  if (!app.config.web) return
  if (isWebClientBuilt(root)) await app.register(webRoutes, { root })
  else app.log.warn('the web client has not been built: /app is not served')
}

const webRoutes: FastifyPluginAsync<{ root: string }> = async (app, { root }) => {
  await app.register(fastifyStatic, { root, serve: false, preCompressed: true, cacheControl: false })

  app.get('/', { schema, config }, async (_request, reply) => reply.redirect('/app/'))

  app.get<{ Params: { file: string } }>('/app/assets/:file', { schema, config }, (request, reply) => {
    const name = request.params.file
    if (!hashedFile.test(name)) return reply.callNotFound()
    return reply.header('cache-control', immutable).sendFile(`assets/${name}`)
  })

  app.get('/app', { schema, config }, (_request, reply) => sendPage(app, reply))

  app.get<{ Params: { '*': string } }>('/app/*', { schema, config }, (request, reply) => {
    const name = request.params['*']
    if (!plainFile.test(name)) return sendPage(app, reply)
    // The service worker has a policy of its own: it fetches the page and its files.
    if (name === 'worker.js')
      reply.header('content-security-policy', "default-src 'none'; connect-src 'self'")
    return reply.header('cache-control', 'no-cache').sendFile(name)
  })
}

/** What has a hash in its name never changes. */
const immutable = 'public, max-age=31536000, immutable'

/** Every place of the client is one page; the client reads the place from the address. */
function sendPage(app: FastifyInstance, reply: FastifyReply): FastifyReply {
  return reply
    .headers({ 'cache-control': 'no-cache', 'content-security-policy': pagePolicy(app) })
    .sendFile('index.html')
}

/**
 * Only the client's own scripts run, and none is made from text. Files of messages have addresses that begin with
 * PUBLIC_URL. `'self'` includes the websocket.
 */
function pagePolicy(app: FastifyInstance): string {
  const address = publicUrl(app)
  const files = address === '' ? "'self' blob:" : `'self' blob: ${new URL(address).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    `img-src ${files}`,
    `media-src ${files}`,
    "connect-src 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types hearth-worker',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
