import { readdir } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Server } from '../../../test/support/server.ts'
import type { Stage } from '../support/stage.ts'

/** The resources of a server at a moment. */
export type Sample = {
  residentMb: number
  heapMb: number
  /** Open files and sockets. */
  handles: number
  databaseConnections: number
  sockets: number
  sessions: number
}

/** Looks at a server from outside (its memory, its handles, its connections) and asks its /metrics. */
export async function takeSample(stage: Stage, server: Server): Promise<Sample> {
  const answer = await fetch(`${server.origin}/metrics`, { headers: { connection: 'close' } })
  const text = await answer.text()
  const read = (name: string) => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)
    // Nothing is ever too much of what is not told.
    if (!found) throw new Error(`/metrics does not tell ${name}`)
    return Number(found[1])
  }
  const handles = (await readdir(`/proc/${server.child.pid}/fd`)).length
  const { rows } = await sql<{ count: string }>`
    select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
    stage.db,
  )
  return {
    residentMb: read('process_resident_memory_bytes') / 2 ** 20,
    heapMb: read('nodejs_heap_size_used_bytes') / 2 ** 20,
    handles,
    databaseConnections: Number(rows[0]!.count),
    sockets: read('hearth_sockets'),
    sessions: read('hearth_sessions'),
  }
}
