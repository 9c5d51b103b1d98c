import type { FastifyInstance } from 'fastify'
import { asId } from '../ids.ts'

/** Path parameters named `id` or `…_id` are ids: text that is none becomes an id nobody has (PROTOCOL 0.1). */
export function readIds(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    const params = request.params as Record<string, string> | undefined
    for (const name in params) {
      if (name === 'id' || name.endsWith('_id')) params[name] = asId(params[name]!)
    }
  })
}
