import { Worker } from 'node:worker_threads'
import { ApiError } from '../../errors.ts'
import { NoPicture } from '../render.ts'
import type { Decoded, Job } from './worker.ts'

/** Pictures of phones have 12 or 24 megapixels. */
export const maxHeicPixels = 25_000_000
/** Memory for the library. A picture of 24 megapixels takes 250 MB. */
const maxMemoryBytes = 384 * 1024 * 1024
/** Memory for the thread besides. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

/**
 * The pixels of a HEIC. Throws `NoPicture` where they cannot be read within these limits, and `unavailable` where that
 * takes too long.
 */
export function decodeHeic(
  bytes: Buffer,
  { maxWorkMs, ...limits }: { maxWorkMs: number } & Partial<Omit<Job, 'bytes'>>,
): Promise<Decoded> {
  const job: Job = { bytes, maxPixels: maxHeicPixels, maxMemoryBytes, ...limits }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits,
    // The library prints why it fails. Nobody reads that.
    stdout: true,
    stderr: true,
  })
  return new Promise<Decoded>((resolve, reject) => {
    const timeout = setTimeout(() => reject(new ApiError('unavailable')), maxWorkMs)
    worker
      .once('message', resolve)
      .once('error', (cause) => reject(new NoPicture('unreadable HEIC', { cause })))
      .once('exit', () => {
        clearTimeout(timeout)
        reject(new NoPicture('unreadable HEIC'))
      })
  }).finally(() => worker.terminate())
}
