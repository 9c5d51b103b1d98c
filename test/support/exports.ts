import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { Resident } from './accounts.ts'
import { app, call, db } from './world.ts'
import { unzip } from './zip.ts'

export const exportPath = '/users/@me/export'
export const noExport = { state: 'none', url: null, expires_at: null, progress: 0 }
export const waitingExport = { ...noExport, state: 'waiting' }

/** The export of somebody, once it is ready. */
export async function ready(ann: Resident) {
  return vi.waitFor(async () => {
    const { data } = (await call(ann, 'GET', exportPath)).body
    expect(data.state).toBe('ready')
    return data as { url: string; expires_at: string; progress: number }
  }, 60_000)
}

/** What is at the address of an export, and the files in it. */
export async function download(url: string) {
  const { pathname, search } = new URL(url)
  const reply = await app.inject({ url: pathname + search })
  return { reply, files: reply.statusCode === 200 ? await unzip(reply.rawPayload) : {} }
}

/** Where an export is in the store. */
export function fileOf({ id }: Resident, url: string): string {
  return `exports/${id}/${new URL(url).searchParams.get('key')}.zip`
}

/** As after a day. */
export async function expire({ id }: Resident): Promise<void> {
  const expires_at = sql<Date>`now() - interval '1 second'`
  await db.updateTable('exports').set({ expires_at }).where('user_id', '=', id).execute()
}
