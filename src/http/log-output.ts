import { write, writeSync } from 'node:fs'

/** The most characters that wait for a reader who is slow; further lines are left out. */
const maxWaiting = 4 * 1024 * 1024
/** The pause after which a reader who takes nothing is tried again. */
const retryMs = 100

/** Writes lines to a file descriptor, without waiting. */
export type LogOutput = { write(line: string): void }

/**
 * What cannot be written is left out: a full disk, a terminal that is gone or a reader who stands still must not stop
 * the server. (The output that pino has by default throws, and then tries again for ever while the process exits.)
 */
export function openLogOutput(fd: number): LogOutput {
  let waiting = ''
  let current = Buffer.alloc(0)
  let isWriting = false

  function writeNext(): void {
    if (current.length === 0) {
      current = Buffer.from(waiting)
      waiting = ''
    }
    isWriting = current.length > 0
    if (isWriting) write(fd, current, goOn)
  }

  function goOn(error: NodeJS.ErrnoException | null, written: number): void {
    isWriting = false
    if (error?.code === 'EAGAIN') return void setTimeout(writeNext, retryMs).unref()
    current = error ? Buffer.alloc(0) : current.subarray(written)
    writeNext()
  }

  process.once('exit', () => {
    try {
      // A write that has begun ends before the process does.
      writeSync(fd, isWriting ? Buffer.from(waiting) : Buffer.concat([current, Buffer.from(waiting)]))
    } catch {}
  })

  return {
    write(line) {
      if (waiting.length > maxWaiting) return
      waiting += line
      if (current.length === 0) writeNext()
    },
  }
}
