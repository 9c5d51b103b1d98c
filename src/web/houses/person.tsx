import { useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../../client/errors.ts'
import { permission } from '../../houses/permissions.ts'
import { requestMembers } from '../connection.ts'
import {
  blockPerson,
  declineRequest,
  removeFriend,
  unblock,
  withdrawRequest,
} from '../friends/relationship-actions.tsx'
import { openPrivateRoom } from '../rooms/open-private-room.ts'
import { mayHandleRole, mayRemove } from '../rooms/permissions.ts'
import { api } from '../session.ts'
import { openConfirmation } from '../shell/confirmation.tsx'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Picture } from '../shell/picture.tsx'
import { useAction } from '../shell/use-action.tsx'
import { relationshipType } from '../state/relationships.ts'
import type { House, Message, Profile, User } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { BotMark } from './bot-mark.tsx'
import { roleColor } from './role-color.ts'

/** Shows somebody, as seen in a house or apart from one, and what one may do about them. */
export function openPerson(user: Known, houseId: string | null): void {
  if (houseId !== null) requestMembers(houseId, [user.id])
  openDialog(user.name, <Person key={user.id} known={user} houseId={houseId} />)
}

type AboutPerson = ComponentType<{ id: string; of: Profile }>

let About: AboutPerson | undefined

/** Sets what shows the texts of a profile: they are rendered as messages are, whose folder builds on this one. */
export function showProfilesBy(component: AboutPerson): void {
  About = component
}

/** All of somebody, or what a message shows of its author. */
type Known = User | Message['author']

function Person({ known, houseId }: { known: Known; houseId: string | null }) {
  const userId = known.id
  const { act, notice } = useAction()
  const isGone = useSignal(known.username === `deleted-${userId}`)
  const loaded = useSignal<Profile | undefined>(undefined)
  const user = store.users.value[userId]
  useEffect(() => {
    if (isGone.peek()) return
    // No event reports the changes of somebody with whom one shares nothing: the answer does.
    void act(async () => {
      try {
        loaded.value = await api.call('getUser', { params: { ref: userId } })
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'user_not_found') throw error
        isGone.value = true
      }
    })
  }, [userId])
  const house = houseId === null ? undefined : store.houses.value[houseId]
  const isMe = userId === store.me.value?.id
  if (isGone.value) return <p>{t().personGone}</p>
  const profile = user ?? loaded.value
  return (
    <div class="person-card">
      {profile?.header && (
        <img class="person-header" src={`/users/${userId}/headers/${profile.header}`} alt="" />
      )}
      <p class="row who">
        <Picture of={user ?? known} kind="users" size="large" />
        <span>
          <bdi>@{(user ?? known).username}</bdi>{' '}
          {!isWebhook(known) && (
            <span class="muted">{userId in store.online.value ? t().online : t().offline}</span>
          )}
          <BotMark of={known} />
        </span>
      </p>
      {About && profile && (profile.bio || profile.location || profile.website) && (
        <About id={userId} of={profile} />
      )}
      {house && <Roles house={house} userId={userId} act={act} />}
      {!isMe && !isWebhook(known) && (
        <RelationshipActions user={user ?? known} act={act} back={() => openPerson(known, houseId)} />
      )}
      {house && !isMe && <RemovalActions house={house} user={user ?? known} />}
      {notice}
    </div>
  )
}

/** Whether it is the account of a webhook, with which nobody is in contact. */
function isWebhook({ id, username, bot }: Known): boolean {
  return bot && username === `webhook-${id}`
}

type Act = (action: () => Promise<unknown>) => void

/** `back` leads back here from a question that was answered. */
function RelationshipActions({ user, act, back }: { user: Known; act: Act; back: () => void }) {
  const { id: user_id } = user
  const type = store.relationships.value[user_id]?.type ?? relationshipType.none
  const befriend = () => act(() => api.call('requestFriendship', { body: { user_id } }))
  const byType: Record<number, [string, () => void]> = {
    [relationshipType.none]: [t().addAsFriend, befriend],
    [relationshipType.outgoingRequest]: [t().withdraw, () => withdrawRequest(user, act)],
    [relationshipType.incomingRequest]: [t().accept, befriend],
    [relationshipType.friends]: [t().unfriend, () => removeFriend(user, back)],
  }
  const [label, befriendOrNot] = byType[type] ?? []
  const isRequest = type === relationshipType.incomingRequest
  const write = () => act(() => openPrivateRoom(user_id).then(closeDialog))
  const isBlocked = type === relationshipType.blocked
  return (
    <p class="row">
      {!isBlocked && <Action label={t().message} act={write} />}
      {label && befriendOrNot && <Action label={label} act={befriendOrNot} />}
      {isRequest && <Action label={t().decline} act={() => declineRequest(user, back)} />}
      {isBlocked ? (
        <Action label={t().unblock} act={() => unblock(user, act)} />
      ) : (
        <Action label={t().block} act={() => blockPerson(user, back)} />
      )}
    </p>
  )
}

function Action({ label, act }: { label: string; act: () => void }) {
  return (
    <button type="button" onClick={act}>
      {label}
    </button>
  )
}

/** The roles of a member; those that one may give and take can be ticked. */
function Roles({ house, userId, act }: { house: House; userId: string; act: Act }): ComponentChildren {
  const member = store.members.value[house.id]?.[userId]
  const own = new Set(member?.roles.map(({ id }) => id))
  const shown = house.roles.filter((role) => own.has(role.id) || mayHandleRole(house, role))
  if (!member || shown.length === 0) return null
  const change = (role_id: string) => {
    const params = { id: house.id, user_id: userId, role_id }
    act(() => (own.has(role_id) ? api.call('takeRole', { params }) : api.call('giveRole', { params })))
  }
  return (
    <fieldset>
      <legend>{t().roles}</legend>
      {shown.map((role) => (
        <label key={role.id} class="tick">
          <input
            type="checkbox"
            checked={own.has(role.id)}
            disabled={!mayHandleRole(house, role)}
            onChange={() => change(role.id)}
          />
          <span class="cut" style={{ color: roleColor(role) }}>
            {role.name}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function RemovalActions({ house, user }: { house: House; user: Known }): ComponentChildren {
  const may = (bit: number) => mayRemove(house, user.id, bit)
  if (!may(permission.KICK_MEMBERS) && !may(permission.EVICT_MEMBERS)) return null
  const params = { id: house.id, user_id: user.id }
  const kick = () => api.call('kickMember', { params })
  const ban = () => api.call('banUser', { params, body: {} })
  return (
    <p class="row">
      {may(permission.KICK_MEMBERS) && (
        <Action label={t().kick} act={() => openConfirmation(t().kick, t().kickSure(user.name), kick)} />
      )}
      {may(permission.EVICT_MEMBERS) && (
        <Action label={t().ban} act={() => openConfirmation(t().ban, t().banSure(user.name), ban)} />
      )}
    </p>
  )
}
