import { hashToken, newToken } from '../../../src/auth/tokens.ts'
import type { Db } from '../../../src/database/client.ts'
import { assignNodeNumber, newId } from '../../../src/ids.ts'

/** An account with a token. */
export type Person = { id: string; username: string; token: string; session_id: string }

// No server takes the last number as long as another is free: ids made here are never ids made there.
assignNodeNumber(1023)
let people = 0

/** Makes an account with a login session, without going through the server. */
export async function addPerson(db: Db, fields: { password_hash?: string } = {}): Promise<Person> {
  people += 1
  const [id, session_id, token, username] = [newId(), newId(), newToken(), `chaos${people}.${process.pid}`]
  const email = `${username}@example.org`
  await db
    .insertInto('users')
    .values({ id, username, name: username, email, ...fields })
    .execute()
  await db
    .insertInto('sessions')
    .values({ id: session_id, user_id: id, token_hash: hashToken(token) })
    .execute()
  return { id, username, token, session_id }
}

/** Makes bots of somebody, each with a token, without going through the server. */
export async function addBots(db: Db, owner: Person, count: number): Promise<Person[]> {
  const bots = Array.from({ length: count }, (): Person => {
    people += 1
    const [id, session_id, token, username] = [newId(), newId(), newToken(), `bot${people}.${process.pid}`]
    return { id, username, token, session_id }
  })
  const rows = bots.map(({ id, username }) => ({
    id,
    username,
    name: username,
    bot: true,
    owner_id: owner.id,
  }))
  await db.insertInto('users').values(rows).execute()
  const sessions = bots.map(({ id, session_id, token }) => {
    return { id: session_id, user_id: id, token_hash: hashToken(token) }
  })
  await db.insertInto('sessions').values(sessions).execute()
  return bots
}

// biome-ignore lint/suspicious/noExplicitAny: what the server answers is for the parts to find out
type Data = any

/** Sends a request as a user, and returns the data of the answer. Throws when it fails. */
export async function ask(
  origin: string,
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<Data> {
  const authorization = token === null ? {} : { authorization: token }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: { ...authorization, ...type },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text).data
}
