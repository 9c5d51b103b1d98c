import type { HearthEvent } from '../events/events.ts'

type Dispatch = (event: HearthEvent) => void | Promise<void>

/** Dispatches events, `user_updated` before the `member_updated` of the same user, even if the former takes longer. */
export function orderProfiles(dispatch: Dispatch): Dispatch {
  const beingTold = new Map<string, Promise<void>>()

  function note(userId: string, told: Promise<void>): void {
    beingTold.set(userId, told)
    void told.finally(() => {
      if (beingTold.get(userId) === told) beingTold.delete(userId)
    })
  }

  return (event) => {
    const profile = event.type === 'member_updated' ? beingTold.get(event.user_id) : undefined
    if (profile) return profile.then(() => dispatch(event))
    const told = dispatch(event)
    if (event.type === 'user_updated' && told) note(event.user_id, told)
    return told
  }
}
