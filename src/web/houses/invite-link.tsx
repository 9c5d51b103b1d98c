import { ApiError } from '../../client/errors.ts'
import { hasBits, permission } from '../../houses/permissions.ts'
import { bitsInHouse } from '../rooms/permissions.ts'
import { api } from '../session.ts'
import { CopyField } from '../shell/copy-field.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { inviteLinkOf } from './invites.ts'
import { LimitedInvite } from './limited-invite.tsx'

type InviteLinkProps = { houseId: string; created?: (() => void) | undefined }

/** Shows the link of one's own invite that does not end, which is made where there is none; others can have limits. */
export function InviteLink({ houseId, created }: InviteLinkProps) {
  const { value: code, failure } = useLoaded(() => codeFor(houseId, created), [houseId])
  return (
    <div class="form">
      {failure === '' ? (
        <CopyField label={t().inviteLink} value={code ? inviteLinkOf(code) : ''} hint={t().inviteHint} />
      ) : (
        <p role="alert">{failure}</p>
      )}
      <LimitedInvite houseId={houseId} created={created} />
    </div>
  )
}

async function codeFor(id: string, created?: () => void): Promise<string> {
  const me = store.me.peek()?.id
  // Only those who manage invites can list them: the others find the one that this tab has made.
  const storageKey = `hearth.invite.${me}.${id}`
  const known = mayManage(id) ? await listedCode(id, me) : await validCode(sessionStorage.getItem(storageKey))
  if (known !== undefined) return known
  const { code } = await api.call('createInvite', { params: { id }, body: {} })
  sessionStorage.setItem(storageKey, code)
  created?.()
  return code
}

function mayManage(houseId: string): boolean {
  const house = store.houses.peek()[houseId]
  return house !== undefined && hasBits(bitsInHouse(house), permission.MANAGE_INVITES)
}

async function listedCode(id: string, me: string | undefined): Promise<string | undefined> {
  const invites = await api.call('listInvites', { params: { id } })
  return invites.find((each) => each.creator_id === me && !each.max_age && !each.max_uses)?.code
}

/** The code, unless its invite is revoked. */
async function validCode(code: string | null): Promise<string | undefined> {
  if (code === null) return undefined
  try {
    return (await api.call('getInvite', { params: { code } })).code
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invite_not_found') return undefined
    throw error
  }
}
