import { repeat } from '../../concurrency/repeat.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { type Change, commit, type Outcome } from '../../events/commit.ts'
import { newId } from '../../ids.ts'
import type { Page } from '../../messages/read/page-queries.ts'
import { hasPermission, permission } from '../permissions.ts'
import { findMembership, type Membership } from '../queries.ts'
import { boundChanges } from './bound-operations.ts'
import {
  type AuditChangeRow,
  type AuditEntry,
  deleteEntriesBefore,
  insertAuditEntry,
  listAuditLog as listRows,
} from './queries.ts'
import type { AuditLogEntry } from './schemas.ts'
import { serializeAuditLogEntry } from './serializers.ts'

/** Who changes a house, and the reason that they give (`X-Audit-Reason`). A null house is a private room. */
export type Actor = { house_id: string | null; user_id: string; reason?: string | null }

/** What the work of a transaction in a house returns; `audit` is empty where nothing has changed. */
export type AuditedChange<Answer> = Change<Answer> & { audit: readonly AuditEntry[] }

/**
 * Runs work in a transaction that also adds its entries to the audit log (docs/api.md#audit-log), and its events to the
 * event log. Every change of a house that not everybody may make goes through this.
 */
export function commitAudited<Answer>(
  db: Db,
  actor: Actor,
  work: (trx: Db) => Promise<AuditedChange<Answer>>,
): Promise<Outcome<Answer>> {
  return commit(db, async (trx) => {
    const change = await work(trx)
    await writeAudit(trx, actor, change.audit)
    return change
  })
}

/** Adds entries inside a transaction. */
export async function writeAudit(trx: Db, actor: Actor, entries: readonly AuditEntry[]): Promise<void> {
  const { house_id, user_id, reason = null } = actor
  if (house_id === null) return
  for (const entry of entries) {
    const changes = boundChanges(entry.changes)
    await insertAuditEntry(trx, { ...entry, changes, house_id, id: newId(), actor_id: user_id, reason })
  }
}

type Fields = Readonly<Record<string, unknown>>

/** The fields that differ between two states; null is that of a thing that is not there yet, or any more. */
export function changesBetween<Key extends string>(
  before: Readonly<Partial<Record<Key, unknown>>> | null,
  after: Readonly<Partial<Record<Key, unknown>>> | null,
  keys: readonly Key[],
): AuditChangeRow[] {
  return keys
    .map((key) => ({ key, old: fieldOf(before, key), new: fieldOf(after, key) }))
    .filter((change) => JSON.stringify(change.old) !== JSON.stringify(change.new))
}

function fieldOf(state: Fields | null, key: string): unknown {
  return state?.[key] ?? null
}

/** Which entries somebody asks for: `action`, and `user_id` of who did it. */
type Filter = { action: string | undefined; user_id: string | undefined }

/**
 * A page of a house's audit log, newest first, of the days that it is kept. Throws `house_not_found`, `no_permission`.
 */
export async function listAuditLog(
  db: Db,
  caller: Membership,
  filter: Filter,
  page: Page,
  days: number,
): Promise<AuditLogEntry[]> {
  const membership = await findMembership(db, caller)
  if (!membership) throw new ApiError('house_not_found')
  if (!hasPermission(membership, permission.ADMINISTRATOR)) throw new ApiError('no_permission')
  const rows = await listRows(db, caller.house_id, { ...filter, since: daysAgo(days) }, page)
  return rows.map(serializeAuditLogEntry)
}

const dayMs = 86_400_000
const deletedAtOnce = 5_000
const sweepEveryMs = 3_600_000

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * dayMs)
}

/** Deletes the entries that are older than so many days. */
export async function deleteOldEntries(db: Db, days: number): Promise<void> {
  while ((await deleteEntriesBefore(db, daysAgo(days), deletedAtOnce)) === deletedAtOnce);
}

/** Deletes old entries now and every hour. Returns how to stop, which waits for a deletion in progress. */
export function startDeletingOldEntries(
  db: Db,
  days: number,
  report: (error: unknown) => void,
): () => Promise<void> {
  async function run(): Promise<number> {
    await deleteOldEntries(db, days)
    return sweepEveryMs
  }
  return repeat({ run, pauseAfterFailureMs: sweepEveryMs, report })
}
