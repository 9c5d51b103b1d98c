import { go } from '../router.ts'
import { api } from '../session.ts'
import { t } from '../texts/texts.ts'

/** The code in what somebody pasted: a link to an invite, or the code itself. */
export function inviteCodeIn(text: string): string {
  return /invite\/([^/?#\s]+)/.exec(text)?.[1] ?? text.trim()
}

/** The texts of refusals to join, where they mean something else than everywhere. */
export function joiningErrors(): Record<string, string> {
  const { invite_not_found = '' } = t().errors
  // A text that cannot be a code leads to no invite either.
  return { no_permission: t().bannedHere, limit_reached: t().tooManyHouses, not_found: invite_not_found }
}

/** The link that others join by. */
export function inviteLinkOf(code: string): string {
  return `${location.origin}/app/invite/${code}`
}

/** Joins the house of an invite and goes there. */
export async function acceptInvite(code: string): Promise<void> {
  const query = { extended: 'true' } as const
  const { house_id } = await api.call('useInvite', { params: { code }, query, body: {} })
  go({ name: 'house', houseId: house_id }, { replace: true })
}
