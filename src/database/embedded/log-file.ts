import { type FileHandle, open, stat, truncate } from 'node:fs/promises'
import { repeat } from '../../concurrency/repeat.ts'

/** A longer log is emptied when PostgreSQL starts. */
const maxBytesAtStart = 2 ** 20
/** A longer log is emptied while PostgreSQL runs: each row that it refuses writes a line, and anybody can cause that. */
const maxBytes = 2 ** 24
const lookEveryMs = 5_000

/** Opens the log of a PostgreSQL that starts. */
export async function openLog(file: string): Promise<FileHandle> {
  await emptyIfLonger(file, maxBytesAtStart)
  // Appending continues at the beginning once the log is emptied.
  return open(file, 'a', 0o600)
}

/** Empties the log whenever it is too long. Returns a function that stops that. */
export function keepLogShort(file: string, most = maxBytes, everyMs = lookEveryMs): () => Promise<void> {
  async function run(): Promise<number> {
    await emptyIfLonger(file, most)
    return everyMs
  }
  // If the log cannot be emptied, this is tried again.
  return repeat({ run, pauseAfterFailureMs: everyMs, report: () => {} })
}

async function emptyIfLonger(file: string, most: number): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }))
  if (size > most) await truncate(file)
}
