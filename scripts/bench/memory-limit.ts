import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { childrenOf } from './processes.ts'

const name = 'hearth-bench'
const [root, pageCache] = ['/sys/fs/cgroup', '/proc/sys/vm/drop_caches']
const version1 = join(root, 'memory')

/** The folder of a control group for memory, and the file of its limit, in the first or second version of Linux. */
async function makeGroup(): Promise<{ folder: string; limitFile: string }> {
  const isVersion1 = existsSync(version1)
  if (!isVersion1) await writeFile(join(root, 'cgroup.subtree_control'), '+memory')
  const folder = join(isVersion1 ? version1 : root, name)
  await mkdir(folder, { recursive: true })
  return { folder, limitFile: join(folder, isVersion1 ? 'memory.limit_in_bytes' : 'memory.max') }
}

/**
 * Limits the memory of a process and its present and future children, together with the pages of files that they read,
 * and empties the page cache. Returns how to remove the group once they have ended; undefined where this is not Linux, or
 * not root.
 */
export async function limitMemory(pid: number, bytes: number): Promise<(() => Promise<void>) | undefined> {
  const group = await makeGroup().catch(() => undefined)
  if (!group) return undefined
  await writeFile(group.limitFile, String(bytes))
  for (const each of [pid, ...(await childrenOf(pid))]) {
    await writeFile(join(group.folder, 'cgroup.procs'), String(each))
  }
  execFileSync('sync')
  await writeFile(pageCache, '1')
  return async () => {
    while ((await readFile(join(group.folder, 'cgroup.procs'), 'utf8')) !== '') await pause(100)
    await rmdir(group.folder)
  }
}
