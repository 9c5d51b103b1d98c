import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Waits until the input ends, which it does with the process at its other end however that ends, then kills whatever has
 * the folder for its own (its working directory, or a setting), and removes it. A server may make a file meanwhile.
 */
const cleaner = `
cat
for attempt in 1 2 3 4 5; do
  for process in /proc/[0-9]*; do
    case $(readlink "$process/cwd") in "$0"/*) kill -9 "\${process#/proc/}" ;; esac
    grep -qF "=$0/" "$process/environ" && kill -9 "\${process#/proc/}"
  done
  umount -l "$0"/disk-*
  rm -rf "$0" && exit
  sleep 1
done 2> /dev/null`

let made: Promise<string> | undefined

/** The folder of this run. Nothing that is in it, or runs there, outlives the run, also one that is killed. */
function findRunFolder(): Promise<string> {
  made ??= mkdtemp(join(tmpdir(), 'hearth-chaos-')).then((folder) => {
    // In a session of its own, so that Ctrl-C does not reach it.
    const child = spawn('sh', ['-c', cleaner, folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.unref()
    // The pipe alone keeps this process from ending by itself.
    ;(child.stdin as unknown as { unref(): void }).unref()
    return folder
  })
  return made
}

/** A new folder in it. */
export async function makeFolder(prefix: string): Promise<string> {
  return mkdtemp(join(await findRunFolder(), prefix))
}
