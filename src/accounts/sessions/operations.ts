import type { Caller } from '../../auth/queries.ts'
import { hashToken, newToken } from '../../auth/tokens.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { newId } from '../../ids.ts'
import { deleteSession, insertSession } from './queries.ts'

/** The User-Agent and the address of a client at login. */
export type Device = { client: string; address: string }

/** Creates a login session and returns its token, of which only the hash is stored. */
export async function openSession(db: Db, userId: string, device: Device): Promise<string> {
  const token = newToken()
  await insertSession(db, { id: newId(), user_id: userId, token_hash: hashToken(token), ...device })
  return token
}

/** The event for ended login sessions; [] if there are none. */
export function sessionsEndedEvents(session_ids: string[]): HearthEvent[] {
  return session_ids.length === 0 ? [] : [{ type: 'sessions_ended', session_ids }]
}

/** Ends a login session of the caller (docs/api.md#accounts). Throws `session_not_found`. */
export async function endSession(db: Db, userId: string, id: string): Promise<Outcome<{ id: string }>> {
  return commit(db, async (trx) => {
    const ended = await deleteSession(trx, userId, id)
    if (ended.length === 0) throw new ApiError('session_not_found')
    return { answer: { id }, events: sessionsEndedEvents(ended) }
  })
}

/** Ends the login session of the caller (docs/api.md#accounts). */
export async function logOut(db: Db, caller: Caller): Promise<Outcome<null>> {
  return commit(db, async (trx) => {
    const ended = await deleteSession(trx, caller.id, caller.session_id)
    return { answer: null, events: sessionsEndedEvents(ended) }
  })
}
