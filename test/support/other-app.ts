import { type AppParts, buildApp } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import { atEnd } from './at-end.ts'
import { bus, callOn, config, db, presences, store } from './world.ts'

/** A second app on the same world with other settings, and how to call it. */
export async function otherApp(changes: Partial<Config>, parts: Partial<AppParts> = {}) {
  const app = await buildApp({ db, store, bus, presences, ...parts, config: { ...config, ...changes } })
  await app.ready()
  atEnd(() => app.close())
  return { app, call: callOn(app) }
}
