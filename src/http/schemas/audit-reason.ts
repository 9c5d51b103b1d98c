import type { IncomingHttpHeaders } from 'node:http'
import { fieldsInvalid } from '../../errors.ts'
import { callerInHouse } from './params.ts'

/** In code points (docs/api.md#audit-log). */
const maxReasonLength = 512

/** A reason as `X-Audit-Reason` gives it: a line, percent-encoded. Throws `invalid_schema`. */
export function auditReason({ headers }: { headers: IncomingHttpHeaders }): string | null {
  const sent = [headers['x-audit-reason'] ?? ''].flat().join()
  const reason = decodeReason(sent)
  const isLine = reason !== undefined && !/[\p{Cc}\p{Cs}]/u.test(reason)
  if (!isLine || [...reason].length > maxReasonLength) throw fieldsInvalid('X-Audit-Reason')
  return reason.trim() === '' ? null : reason
}

function decodeReason(sent: string): string | undefined {
  try {
    return /^[\x20-\x7e]*$/.test(sent) ? decodeURIComponent(sent) : undefined
  } catch {
    return undefined
  }
}

type ActorRequest = { params: { id: string }; caller: { id: string }; headers: IncomingHttpHeaders }

/** The caller in the house of the path's `:id`, with the reason that the caller gives for what they change. Throws `invalid_schema`. */
export function actorInHouse(request: ActorRequest) {
  return { ...callerInHouse(request), reason: auditReason(request) }
}
