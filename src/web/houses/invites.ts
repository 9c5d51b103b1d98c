import { go } from '../router.ts'
import { api } from '../session.ts'

/** The code in what somebody pasted: a link to an invite, or the code itself. */
export function inviteCodeIn(text: string): string {
  return /invite\/([^/?#\s]+)/.exec(text)?.[1] ?? text.trim()
}

/** The link that others join by. */
export function inviteLinkOf(code: string): string {
  return `${location.origin}/app/invite/${code}`
}

/** Joins the house of an invite and goes there. */
export async function acceptInvite(code: string): Promise<void> {
  const { house_id } = await api.call('useInvite', { params: { code }, body: {} })
  go({ name: 'house', houseId: house_id }, { replace: true })
}
