import { write, writeSync } from 'node:fs'

/** The most characters that are buffered for a slow reader; further lines are dropped. */
const maxWaiting = 4 * 1024 * 1024
/** The pause before a write is retried after EAGAIN. */
const retryMs = 100

/** Writes lines to a file descriptor, without waiting. */
export type LogOutput = { write(line: string): void }

/**
 * Drops what cannot be written: a full disk, a closed terminal or a blocked reader must stop neither the server nor its
 * exit (docs/decisions/0030-own-log-output.md). To be opened once for a file descriptor.
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
    if (isWriting) write(fd, current, onWritten)
  }

  function onWritten(error: NodeJS.ErrnoException | null, written: number): void {
    isWriting = false
    if (error?.code === 'EAGAIN') return void setTimeout(writeNext, retryMs).unref()
    current = error ? Buffer.alloc(0) : current.subarray(written)
    writeNext()
  }

  process.on('exit', () => {
    try {
      // A write that has begun ends before the process does.
      writeSync(fd, Buffer.concat([...(isWriting ? [] : [current]), Buffer.from(waiting)]))
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
