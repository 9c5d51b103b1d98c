import { Readable } from 'node:stream'
import type { Db } from '../../database/client.ts'
import { discardFilesAtOnce, saveFile } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { streamZip } from '../../storage/zip.ts'
import { archiveAccount } from './archive-operations.ts'
import { countOwnMessages } from './content-queries.ts'
import {
  deleteEndedExports,
  exportFile,
  finishExport,
  type LeasedExport,
  leaseExport,
  releaseExport,
  renewExport,
} from './queries.ts'

const lookEveryMs = 60_000
const renewEveryMs = 1_000

/** Makes the exports that wait, one after the other, for as long as the process runs. */
export type Exporter = {
  /** Looks for exports now, rather than at the next regular time. */
  wake(): void
  /** Settles when none is being made any more; one that was goes on in another process, or at the next start. */
  stop(): Promise<void>
}

class NoLongerWanted extends Error {}

/** Of what fails, the export is repeated twice, and then given up. */
export function startExporting(db: Db, store: Store, onFailure: (error: unknown) => void): Exporter {
  const stopping = new AbortController()
  let isWanted = false
  let round: Promise<void> | undefined

  async function makeAll(): Promise<void> {
    while (isWanted && !stopping.signal.aborted) {
      isWanted = false
      await deleteEndedExports(db)
      const leased = await leaseExport(db)
      if (!leased) continue
      isWanted = true
      await make(leased)
    }
  }
  async function make(leased: LeasedExport): Promise<void> {
    try {
      await makeExport(db, store, leased, stopping.signal)
    } catch (error) {
      if (error instanceof NoLongerWanted) return
      const isStopping = stopping.signal.aborted
      await releaseExport(db, leased, !isStopping)
      if (!isStopping) onFailure(error)
    }
  }
  function wake(): void {
    isWanted = true
    round ??= makeAll()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) onFailure(error)
      })
      .finally(() => {
        round = undefined
      })
  }

  const timer = setInterval(wake, lookEveryMs)
  timer.unref()
  wake()
  return {
    wake,
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await round
    },
  }
}

async function makeExport(db: Db, store: Store, leased: LeasedExport, signal: AbortSignal): Promise<void> {
  const { messages, files } = await countOwnMessages(db, leased.user_id)
  const all = messages + files
  let done = 0
  const advance = () => {
    done += 1
  }
  const archive = streamZip(archiveAccount({ db, store, user_id: leased.user_id, advance }))
  const content = Readable.from(whileThereIsSpace(store, archive), { objectMode: false })
  // The write fails with it.
  content.on('error', () => {})
  function giveUp(reason: Error): void {
    archive.destroy(reason)
    content.destroy(reason)
  }
  const abort = () => giveUp(new Error('the process stops'))
  signal.addEventListener('abort', abort)
  // A failed renewal is repeated with the next one.
  const renewing = setInterval(() => void renew().catch(() => {}), renewEveryMs)
  async function renew(): Promise<void> {
    const progress = all === 0 ? 0 : Math.min(99, Math.floor((done / all) * 100))
    if (!(await renewExport(db, leased, progress))) giveUp(new NoLongerWanted())
  }
  try {
    signal.throwIfAborted()
    await saveFile(db, store, exportFile(leased), content)
  } finally {
    clearInterval(renewing)
    signal.removeEventListener('abort', abort)
    archive.destroy()
  }
  // Nobody wants it any more, as the account was deleted, say: what has listed its file by then may have erased none.
  if (!(await finishExport(db, leased))) await discardFilesAtOnce(db, [exportFile(leased)])
}

async function* whileThereIsSpace(store: Store, archive: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of archive as AsyncIterable<Buffer>) {
    await store.checkSpace()
    yield chunk
  }
}
