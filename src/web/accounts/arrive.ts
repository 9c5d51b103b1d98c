import { acceptInvite } from '../houses/invites.ts'
import { go, place } from '../router.ts'

/** Goes where somebody wanted to go before they had to log in: into the house of an invite, or to the place itself. */
export async function arrive(invite: string | undefined): Promise<void> {
  if (invite !== undefined) {
    await acceptInvite(invite).catch(() => go({ name: 'invite', code: invite }, { replace: true }))
  } else if (['logIn', 'createAccount'].includes(place.peek().name)) {
    go({ name: 'home' }, { replace: true })
  }
}
