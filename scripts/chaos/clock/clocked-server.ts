import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../../../test/support/server.ts'
import { ask } from '../support/people.ts'
import type { Stage } from '../support/stage.ts'

const steppedWithinMs = 20_000
const preload = join(import.meta.dirname, 'shifted-clock.ts')

/** A server whose clock can be stepped; that of PostgreSQL stays. */
export type ClockedServer = Server & {
  /** How far its clock is from the real one, in ms. */
  shiftMs(): number
  /** Steps its clock, and waits until it says so itself. */
  step(shiftMs: number): Promise<void>
}

/** Where a server can be asked for its time: by typing in a room. */
type Watch = { token: string; roomId: string }

/** Starts a server with its clock off by so much. */
export async function startClocked(
  stage: Stage,
  shiftMs: number,
  environment: Record<string, string>,
  watch: () => Watch,
): Promise<ClockedServer> {
  const file = join(stage.folder, 'clock')
  await writeFile(file, String(shiftMs))
  const server = await stage.startServer({
    ...environment,
    CHAOS_CLOCK: file,
    NODE_OPTIONS: `--import=${preload}`,
  })
  let present = shiftMs
  return {
    ...server,
    shiftMs: () => present,
    async step(nextMs) {
      present = nextMs
      await writeFile(file, String(nextMs))
      server.child.kill('SIGUSR2')
      const { token, roomId } = watch()
      const deadline = performance.now() + steppedWithinMs
      while (performance.now() < deadline) {
        const { timestamp } = await ask(server.origin, token, 'POST', `/rooms/${roomId}/typing`)
        if (Math.abs(timestamp - nextMs - Date.now()) < 60_000) return
        await pause(5)
      }
      throw new Error(`the clock of the server was not stepped within ${steppedWithinMs} ms`)
    },
  }
}
