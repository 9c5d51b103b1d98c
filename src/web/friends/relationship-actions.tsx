import { api } from '../session.ts'
import { offerUndo } from '../shell/announcement.tsx'
import { openConfirmation } from '../shell/confirmation.tsx'
import { t } from '../texts/texts.ts'

type Person = { id: string; name: string }
/** Does something at the press of a button, and says what has failed. */
type Act = (action: () => Promise<unknown>) => void

/** Asks first, as the other would have to accept again. `done` is called afterwards. */
export function removeFriend({ id, name }: Person, done?: () => void): void {
  openConfirmation(t().unfriend, t().unfriendSure(name), async () => {
    await api.call('unfriend', { params: { id } })
    done?.()
  })
}

/** Asks first, as only the other can send a request again. */
export function declineRequest({ id: user_id, name }: Person, done?: () => void): void {
  openConfirmation(t().decline, t().declineSure(name), async () => {
    await api.call('withdrawFriendRequest', { params: { user_id } })
    done?.()
  })
}

/** Asks first, as a block ends a friendship and requests. */
export function blockPerson({ id: user_id, name }: Person, done?: () => void): void {
  openConfirmation(t().block, t().blockSure(name), async () => {
    await api.call('block', { params: { user_id } })
    done?.()
  })
}

/** Takes back an own request, which can be sent again. */
export function withdrawRequest({ id: user_id, name }: Person, act: Act): void {
  act(async () => {
    await api.call('withdrawFriendRequest', { params: { user_id } })
    offerUndo(t().withdrawn(name), () => api.call('requestFriendship', { body: { user_id } }))
  })
}

/** Unblocks somebody, who can be blocked again. */
export function unblock({ id: user_id, name }: Person, act: Act): void {
  act(async () => {
    await api.call('unblock', { params: { user_id } })
    offerUndo(t().unblocked(name), () => api.call('block', { params: { user_id } }))
  })
}
