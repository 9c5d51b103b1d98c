import { setTimeout as pause } from 'node:timers/promises'
import { type Caller, findCaller } from '../../auth/queries.ts'
import { hashTokenHex, readToken } from '../../auth/tokens.ts'
import type { GatewayContext } from '../context.ts'
import type { ClientFrame } from '../transport/client-frame.ts'
import type { Connection } from '../transport/connection.ts'
import { opcode } from '../transport/frames.ts'
import { readLogin } from './login.ts'
import { readInTurn, retryWhileBusy } from './login-reads.ts'
import { untilSendable } from './requests.ts'
import { readResume } from './resume.ts'
import { positionOf, Session } from './session.ts'
import { isSessionId, newSessionId } from './session-id.ts'

/** How long a login keeps the next one of its user waiting while its client does not read. */
const turnMs = 10_000

/** The `d` of op 2 and op 11, not yet checked. */
type LoginFields = { token?: unknown; extended?: unknown; session_id?: unknown; seq?: unknown }

/** The session that a client resumes, and the position up to which it has handled everything. */
type ResumePoint = { id: string; seq: number; position: number }

/** Logs a client in (op 2), or resumes a session that any process may have begun (op 11). */
export async function openSession(
  gateway: GatewayContext,
  connection: Connection,
  { op, d }: ClientFrame,
): Promise<void> {
  const fields = (d ?? {}) as LoginFields
  const login = await authenticate(gateway, connection, fields.token)
  if (!login || !connection.isOpen) return
  const { caller, tokenHash } = login
  const point = op === opcode.resume ? resumePoint(gateway, caller, fields) : undefined
  if (op === opcode.resume && !point) return connection.close('cannot_resume')
  const session = addSession(gateway, connection, caller, fields.extended === true, point)
  if (!session) return
  // Logins of a user wait for one another until little is left to be written, so that what they send does not add up.
  const turn = await gateway.logins(caller.id, async () => {
    const begun = begin(gateway, session, tokenHash, point)
    await Promise.race([begun.then(() => connection.drained()), pause(turnMs, undefined, { ref: false })])
    return { begun }
  })
  await turn.begun
}

/** The caller of a token. For an invalid token, counts a failed login and closes the connection. */
async function authenticate(
  { db, addFailedLogin }: GatewayContext,
  connection: Connection,
  token: unknown,
): Promise<{ caller: Caller; tokenHash: string } | undefined> {
  const read = typeof token === 'string' ? readToken(token) : undefined
  const tokenHash = read && hashTokenHex(read)
  const isWanted = () => connection.isOpen
  const caller = tokenHash && (await retryWhileBusy(db, isWanted, () => findCaller(db, tokenHash)))
  if (caller) return { caller, tokenHash }
  addFailedLogin(connection.address)
  connection.close('invalid_token')
  return undefined
}

function resumePoint(
  { bus }: GatewayContext,
  caller: Caller,
  { session_id, seq }: LoginFields,
): ResumePoint | undefined {
  const position = positionOf(seq)
  if (position === undefined || typeof session_id !== 'string') return undefined
  const isValid = isSessionId(session_id, bus.epoch, caller.session_id)
  return isValid ? { id: session_id, seq: seq as number, position } : undefined
}

/** Closes the connection instead if the user or the person has too many, or if the person's have sent too much. */
function addSession(
  gateway: GatewayContext,
  connection: Connection,
  caller: Caller,
  extended: boolean,
  point: ResumePoint | undefined,
): Session | undefined {
  const { registry, settings, shares, bus } = gateway
  if (shares.isRefused(caller.owner_id)) {
    connection.close('rate_limit')
    return undefined
  }
  const former = point && registry.sessions.get(point.id)
  if (former) registry.end(former, 'taken_over')
  const open = registry.sessionsOfUser(caller.id).filter((one) => one.connection.isOpen)
  const ofPerson = shares.countConnections(caller.owner_id) - (former ? 1 : 0)
  if (open.length >= settings.maxConnectionsPerUser || ofPerson >= settings.maxConnectionsPerPerson) {
    connection.close('too_many')
    return undefined
  }
  const { id, seq } = point ?? { id: newSessionId(bus.epoch, caller.session_id) }
  const session = new Session({ caller, id, extended, connection, seq })
  if (extended) connection.acknowledgeHeartbeats()
  registry.add(session)
  gateway.attach(connection, session)
  return session
}

/** Sends a session its state or what it missed, and then the events since. */
async function begin(
  gateway: GatewayContext,
  session: Session,
  tokenHash: string,
  point: ResumePoint | undefined,
): Promise<void> {
  const { db, registry } = gateway
  if (point) await untilSendable(gateway, session)
  const read = await readInTurn(gateway, gateway.loginReads, session, () => {
    registry.bufferEventsOf(session)
    const reading = point ? readResume(gateway, session, point.position) : readLogin(gateway, session)
    return Promise.all([reading, findCaller(db, tokenHash)])
  })
  if (!read || !session.connection.isOpen) return
  const [send, caller] = read
  // The token may have ended before there was a session to be ended with it.
  if (!caller) return registry.end(session, 'invalid_token')
  if (!send) return registry.end(session, point ? 'cannot_resume' : 'invalid_token')
  await send()
  await session.sendBuffered()
  // Meanwhile nothing is sent to the others.
  await gateway.deliveries(async () => {
    await session.sendBuffered()
    registry.markReady(session)
  })
}
