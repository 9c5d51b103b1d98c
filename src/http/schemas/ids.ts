import type { FastifyInstance, preValidationHookHandler } from 'fastify'
import { asId } from '../../ids.ts'

/**
 * Replaces text that is not an id, in path parameters named `id` or `…_id`, by an id that does not exist
 * (docs/api.md#ids).
 */
export function normalizeIdParams(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const names = [...route.url.matchAll(/:(id|[a-z_]+_id)\b/g)].map((match) => match[1]!)
    if (names.length === 0) return
    const normalise: preValidationHookHandler = (request, _reply, done) => {
      const params = request.params as Record<string, string>
      for (const name of names) params[name] = asId(params[name]!)
      done()
    }
    route.preValidation = [normalise, ...[route.preValidation ?? []].flat()]
  })
}
