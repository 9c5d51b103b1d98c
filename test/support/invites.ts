import { expect } from 'vitest'
import { inviteNotFound, told } from './permissions.ts'
import { type Answer, call, type Den, db, house, type Person, user } from './world.ts'

/** Makes an invite as the owner of a house, and gives its code. */
export async function inviteTo(
  den: Den,
  limits: { max_uses?: number; max_age?: number } = {},
): Promise<string> {
  return (await call(den.owner, 'POST', `/houses/${den.id}/invites`, limits)).body.data.code
}

/** An invite's row, or undefined. */
export function inviteRow(code: string) {
  return db.selectFrom('invites').selectAll().where('code', '=', code).executeTakeFirst()
}

/** Ends an invite a millisecond ago. */
export async function expire(code: string): Promise<void> {
  await db
    .updateTable('invites')
    .set({ expires_at: new Date(Date.now() - 1) })
    .where('code', '=', code)
    .execute()
}

/** Holds a request to invite_not_found for an invite that is expired, used up or unknown, as a member and not. */
export async function refusesDeadInvites(ask: (caller: Person, code: string) => Promise<Answer>) {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const [expired, usedUp] = [await inviteTo(den, { max_age: 60 }), await inviteTo(den, { max_uses: 2 })]
  await expire(expired)
  await db.updateTable('invites').set({ uses: 2 }).where('code', '=', usedUp).execute()
  const neverMade = ['abc123', 'x', '%00%00%00%00%00%00', 'a'.repeat(500), `${usedUp.toLowerCase()}1`]
  for (const code of [expired, usedUp, ...neverMade]) {
    for (const caller of [ann, ben]) expect(told(await ask(caller, code))).toEqual([404, inviteNotFound])
  }
}
