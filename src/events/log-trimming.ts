import type { Db } from '../database/client.ts'
import { trimLog } from './log-queries.ts'

type Retention = { maxEvents: number; keptForMs: number; trimEveryMs: number }

const defaultRetention: Retention = { maxEvents: 200_000, keptForMs: 600_000, trimEveryMs: 30_000 }

/** Trims the log regularly to what clients may resume from. Returns how to stop. */
export function startTrimming(
  db: Db,
  log: { readonly epoch: string; readonly position: number },
  { maxEvents, keptForMs, trimEveryMs }: Retention = defaultRetention,
): () => void {
  let reached: { atMs: number; epoch: string; position: number }[] = []

  async function trim(): Promise<void> {
    const { epoch, position } = log
    const nowMs = performance.now()
    // Positions of another epoch say nothing about this one.
    reached = [...reached, { atMs: nowMs, epoch, position }].filter((one) => one.epoch === epoch)
    const old = reached.filter(({ atMs }) => nowMs - atMs > keptForMs).at(-1)
    const upTo = Math.max(old?.position ?? 0, position - maxEvents)
    if (old) reached = reached.slice(reached.indexOf(old))
    if (upTo > 0) await trimLog(db, epoch, upTo)
  }

  const trimming = setInterval(() => void trim().catch(() => {}), trimEveryMs).unref()
  return () => clearInterval(trimming)
}
