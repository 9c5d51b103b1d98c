import type { Db } from '../../database/client.ts'
import { listTakenIds } from '../../houses/archive/import-queries.ts'
import { idTimeMs, isId, newId } from '../../ids.ts'
import { CliError } from '../command.ts'

/** Refuses ids that no server has made: later ones would hold up the ids of this one. */
export function checkId(id: string): string {
  if (!isId(id) || idTimeMs(id) > Date.now()) throw new CliError(`The archive has an id that is none: ${id}.`)
  return id
}

/** The id that each of these rows gets: its own where that is free, else a new one. Refuses an id that two have. */
export async function allocateIds(
  trx: Db,
  table: Parameters<typeof listTakenIds>[1],
  rows: readonly { id: string }[],
): Promise<Map<string, string>> {
  const ids = rows.map(({ id }) => checkId(id))
  if (new Set(ids).size < ids.length) throw new CliError(`The archive has two ${table} with one id.`)
  const taken = new Set(await listTakenIds(trx, table, ids))
  return new Map(ids.map((id) => [id, taken.has(id) ? newId() : id]))
}

/** The id that something of the archive has here. Throws `CliError` where the archive does not have it. */
export function mustHave(ids: ReadonlyMap<string, string>, id: string, thing: string): string {
  const found = ids.get(id)
  if (found === undefined) throw new CliError(`The archive names a ${thing} that it does not have: ${id}.`)
  return found
}
