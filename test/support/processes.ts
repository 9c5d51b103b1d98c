import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { buildApp } from '../../src/app.ts'
import type { Bus } from '../../src/events/bus.ts'
import type { PresenceTracker } from '../../src/gateway/presence/presence-tracker.ts'
import type { GatewaySettings } from '../../src/gateway/settings.ts'
import { atEnd } from './at-end.ts'
import { config, db, type Person, store } from './world.ts'

// Several processes that share a relay; each is an app of its own here.

/** A listening app on the same world, with a bus of its own, which both end with the test file. */
export async function startProcess(
  { bus, presences, close }: { bus: Bus; presences: PresenceTracker; close(): Promise<void> },
  gateway: Partial<GatewaySettings> = {},
): Promise<FastifyInstance> {
  const app = await buildApp({
    config,
    db,
    store,
    bus,
    presences,
    gateway: { houseJoinDelayMs: 5, ...gateway },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  atEnd(async () => {
    await app.close()
    await close()
  })
  return app
}

/** The data of a successful answer of one app; undefined if it has no body. */
export async function ask(
  app: FastifyInstance,
  caller: Person,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  body?: object,
) {
  const headers = { authorization: caller.token }
  const answer = await app.inject({ method, url, headers, ...(body && { payload: body }) })
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  return answer.body === '' ? undefined : answer.json().data
}
