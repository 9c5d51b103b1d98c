import { type Answer, call, db, type Person, uniqueName } from './world.ts'

export const password = 'correct horse'

/** Somebody who came in through the front door. */
export type Resident = Person & { email: string }

/** Registers an account with the password above, and a username that begins with this one. */
export async function resident(begin = 'resident'): Promise<Resident> {
  const username = uniqueName(begin)
  const email = `${username}@example.org`
  const answer = await call(null, 'POST', '/auth/register', { email, username, password })
  return { ...(await personOf(answer)), email }
}

/** Who a login or registration answered a token for. */
export async function personOf(answer: Answer): Promise<Person> {
  const { token, user } = answer.body.data
  const session = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', user.id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return { id: user.id, username: user.username, token, session_id: session.id }
}
