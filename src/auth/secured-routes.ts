import type { FastifyInstance } from 'fastify'
import { isAuthenticator } from './plugin.ts'

/** Says of every route that needs a caller that it does (`security`): in the API document, and to the hooks that go by it. */
export function markSecured(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const needsCaller = [route.onRequest ?? []].flat().some(isAuthenticator)
    if (needsCaller) route.schema = { ...route.schema, security: [{ token: [] }] }
  })
}
