import { afterAll } from 'vitest'
import { closeWorld, openWorld } from './open-world.ts'
import { enterWorld, sharedWorld } from './world.ts'

/**
 * Gives the test file that imports it a database and an app of its own, which nothing else has used: for counts over
 * everything there is, settings of the server, and work on the whole database. Called before anything else is made.
 */
export async function ownWorld(): Promise<void> {
  const world = await openWorld()
  enterWorld(world)
  afterAll(async () => {
    enterWorld(sharedWorld)
    await closeWorld(world)
  })
}
