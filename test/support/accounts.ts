import { type Answer, call, db, type Person } from './world.ts'

export const password = 'correct horse'

/** Somebody who came in through the front door. */
export type Resident = Person & { email: string }

let residents = 0

/** Registers an account with the password above. */
export async function resident(username?: string): Promise<Resident> {
  residents += 1
  const name = username ?? `resident${residents}`
  const email = `${name}@example.org`
  const answer = await call(null, 'POST', '/auth/register', { email, username: name, password })
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
