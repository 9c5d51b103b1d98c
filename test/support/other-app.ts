import type { InjectOptions } from 'fastify'
import { afterAll } from 'vitest'
import { type AppParts, buildApp } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import { type Answer, bus, config, db, type Person, store } from './world.ts'

/** A second app on the same world with other settings, and how to call it. */
export async function otherApp(changes: Partial<Config>, parts: Partial<AppParts> = {}) {
  const app = await buildApp({ db, store, bus, ...parts, config: { ...config, ...changes } })
  await app.ready()
  afterAll(() => app.close())

  async function call(
    caller: Person | null,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: unknown,
    more: InjectOptions = {},
  ): Promise<Answer> {
    const reply = await app.inject({
      method,
      url,
      ...more,
      ...(body === undefined ? {} : { payload: body as object }),
      headers: { ...(caller ? { authorization: caller.token } : {}), ...more.headers },
    })
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    const body_ = isJson && reply.body !== '' ? JSON.parse(reply.body) : undefined
    return { status: reply.statusCode, headers: reply.headers, text: reply.body, body: body_ }
  }

  return { app, call }
}
