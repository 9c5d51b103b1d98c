import { type Caller, findCaller } from '../auth/queries.ts'
import { hashTokenHex, readToken } from '../auth/tokens.ts'
import type { Connection } from './connection.ts'
import type { Gateway } from './gateway.ts'
import { tellState } from './login.ts'
import { retryWhileBusy } from './retry.ts'
import { Session } from './session.ts'

/** Op 2: begins a session. */
export async function logIn(gateway: Gateway, connection: Connection, d: unknown): Promise<void> {
  const { token, extended } = (d ?? {}) as { token?: unknown; extended?: unknown }
  const login = await authenticate(gateway, connection, token)
  if (!login || !connection.isOpen) return
  const { caller, hash } = login
  if (hasTooManyConnections(gateway, caller.id)) return connection.close('too_many')
  const session = new Session(caller, extended === true, connection)
  if (session.extended) connection.acknowledgeHeartbeats()
  gateway.hub.add(session)
  gateway.attach(connection, session)
  if (!(await tellState(gateway, session, hash))) gateway.end(session, 'invalid_token')
}

/** Op 11: takes up a session, if necessary from another connection of the same client. */
export async function resume(gateway: Gateway, connection: Connection, d: unknown): Promise<void> {
  const { session_id, seq, token } = (d ?? {}) as { session_id?: unknown; seq?: unknown; token?: unknown }
  const login = await authenticate(gateway, connection, token)
  if (!login || !connection.isOpen) return
  const session = typeof session_id === 'string' ? gateway.hub.sessions.get(session_id) : undefined
  const fits = session?.isTold && session.loginSessionId === login.caller.session_id
  if (!fits || !Number.isInteger(seq) || !session.canReplay(seq as number)) {
    return connection.close('cannot_resume')
  }
  const former = session.connection
  if (!former?.isOpen && hasTooManyConnections(gateway, session.userId)) return connection.close('too_many')
  former?.close('taken_over')
  gateway.hub.detached.delete(session)
  gateway.attach(connection, session)
  session.resume(connection, seq as number)
}

/** The caller that a token stands for. Counts a failed login, and closes the connection, when it stands for nobody. */
async function authenticate(
  { db, failedLogins }: Gateway,
  connection: Connection,
  token: unknown,
): Promise<{ caller: Caller; hash: string } | undefined> {
  const read = typeof token === 'string' ? readToken(token) : undefined
  const hash = read && hashTokenHex(read)
  const isWanted = () => connection.isOpen
  const caller = hash && (await retryWhileBusy(db, isWanted, () => findCaller(db, hash)))
  if (caller) return { caller, hash }
  failedLogins.add(connection.address)
  connection.close('invalid_token')
  return undefined
}

function hasTooManyConnections({ hub, settings }: Gateway, userId: string): boolean {
  const connected = hub.ofUser(userId).filter((one) => one.connection?.isOpen)
  return connected.length >= settings.maxConnectionsPerUser
}
