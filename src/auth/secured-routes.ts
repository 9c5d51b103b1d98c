import type { FastifyInstance } from 'fastify'
import { isAuthenticator } from './plugin.ts'

/** Sets `security` on every route that needs a caller, for the API document and for the hooks that depend on it. */
export function markSecured(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const needsCaller = [route.onRequest ?? []].flat().some(isAuthenticator)
    if (needsCaller) route.schema = { ...route.schema, security: [{ token: [] }] }
  })
}
