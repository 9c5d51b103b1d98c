import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Starts a Citus by a command that starts a coordinator and its workers in the folder `CITUS_DIR` (`start`; its last line
 * is the address of the coordinator) and stops them (`stop`). With `CITUS_FSYNC=on` in `settings` it flushes commits.
 */
export async function startOwnCitus(
  command: string,
  settings: Record<string, string> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-citus-'))
  const options = { env: { ...process.env, ...settings, CITUS_DIR: folder } }
  async function stop(): Promise<void> {
    await run(command, ['stop'], options)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const { stdout } = await run(command, ['start'], options)
    return { url: stdout.trim().split('\n').at(-1)!, stop }
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
}
