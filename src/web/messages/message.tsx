import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { BotMark } from '../houses/bot-mark.tsx'
import { openPerson } from '../houses/person.tsx'
import { nameColor } from '../houses/role-color.ts'
import { Icon } from '../shell/icon.tsx'
import { Picture } from '../shell/picture.tsx'
import type { Message } from '../state/state.ts'
import { store } from '../state/store.ts'
import { fullText, timeText } from '../texts/dates.ts'
import { t } from '../texts/texts.ts'
import { MessageActions, openMessageMenu } from './actions.tsx'
import { Attachment } from './attachment.tsx'
import { Folded, isBlocked, isFolded, unfold } from './blocked.tsx'
import { Content } from './content.tsx'
import { editedMessage, isOwn } from './editing.ts'
import { MessageEditor, UnsavedEdit } from './editor.tsx'
import { Fuse } from './exploding.tsx'
import { useLongPress } from './long-press.ts'
import { Quote } from './quote.tsx'
import { Reactions } from './reactions.tsx'

type MessageRowProps = { message: Message; isFollowing: boolean; isTarget: boolean }

/** A message in the timeline. Screen readers read author and text first, the time last. */
export function MessageRow({ message, isFollowing, isTarget }: MessageRowProps) {
  const { id, room_id, author_id, content, attachment, timestamp, edited_at, explodes_at } = message
  const author = store.users.value[author_id] ?? message.author
  const isEdited = editedMessage.value === id
  const openMenu = () => openMessageMenu(message, author)
  // Most messages scroll by, and their actions are never shown.
  const isNear = useSignal(false)
  const comeNear = () => {
    isNear.value = true
  }
  if (isFolded(message)) return <FoldedMessage message={message} isTarget={isTarget} />
  return (
    <MessageFrame
      id={id}
      roomId={room_id}
      author={author}
      // Messages that were unfolded each say whose they are, as those before may be folded.
      isFollowing={isFollowing && !isBlocked(author_id)}
      parts={[
        ...(content === '' || isEdited ? [] : ['text' as const]),
        ...(attachment ? ['file' as const] : []),
      ]}
      isTarget={isTarget}
      openMenu={openMenu}
      comeNear={comeNear}
    >
      {message.reply_to && <Quote of={message.reply_to} roomId={room_id} />}
      {isEdited ? <MessageEditor message={message} /> : <Content id={`${id}-text`} message={message} />}
      {!isEdited && isOwn(message) && <UnsavedEdit message={message} />}
      {attachment && <Attachment id={`${id}-file`} of={attachment} />}
      {explodes_at !== null && <Fuse timestamp={timestamp} explodes_at={explodes_at} />}
      <p id={`${id}-time`} class="message-time">
        <time dateTime={new Date(timestamp).toISOString()} title={fullText(timestamp)}>
          {timeText(timestamp)}
        </time>
        {edited_at !== null && <span> {t().edited}</span>}
        {message.pinned && (
          <span class="pin-mark">
            {' '}
            <Icon name="pin" /> {t().pinned}
          </span>
        )}
      </p>
      <Reactions message={message} />
      {!isEdited && isNear.value && (
        <MessageActions message={message} author={author.name} openMenu={openMenu} />
      )}
    </MessageFrame>
  )
}

/** The row of a message by somebody whom the user has blocked. Enter unfolds it. */
function FoldedMessage({ message, isTarget }: Pick<MessageRowProps, 'message' | 'isTarget'>) {
  return (
    <article
      class="message"
      aria-label={t().blockedMessage}
      data-id={message.id}
      data-following=""
      data-target={isTarget ? '' : undefined}
      tabIndex={-1}
      onKeyDown={({ key, target, currentTarget }) => {
        if (key === 'Enter' && target === currentTarget) unfold(message)
      }}
    >
      <Folded message={message} />
    </article>
  )
}

type FrameProps = {
  id: string
  roomId: string
  author: Message['author']
  isFollowing: boolean
  /** Parts that name the message for screen readers, between author and time; each has the id `<message id>-<part>`. */
  parts: readonly ('text' | 'file')[]
  isTarget?: boolean
  state?: 'waiting' | 'failed'
  openMenu?: () => void
  /** Called when somebody points at the message, or focuses it. */
  comeNear?: () => void
  children: ComponentChildren
}

/** What all messages have in common, those on their way included. */
export function MessageFrame({ id, roomId, author, isFollowing, ...more }: FrameProps) {
  const { parts, isTarget = false, state, openMenu, comeNear, children } = more
  const houseId = store.rooms.value[roomId]?.house_id ?? null
  const press = useLongPress(() => openMenu?.())
  const open = () => openPerson(author, houseId)
  return (
    <article
      class="message"
      data-id={id}
      aria-labelledby={['author', ...parts, 'time'].map((part) => `${id}-${part}`).join(' ')}
      data-following={isFollowing ? '' : undefined}
      data-target={isTarget ? '' : undefined}
      data-state={state}
      tabIndex={-1}
      // Scrolling, which moves messages below a resting pointer, does not count.
      onMouseMove={comeNear}
      onFocusIn={comeNear}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.target !== event.currentTarget) return
        event.preventDefault()
        openMenu?.()
      }}
      {...press}
    >
      {!isFollowing && (
        <button type="button" class="plain person-picture" tabIndex={-1} aria-hidden="true" onClick={open}>
          <Picture of={author} kind="users" size="large" />
        </button>
      )}
      <p
        id={`${id}-author`}
        class={isFollowing ? 'visually-hidden' : 'message-author'}
        style={{ color: nameColor(houseId, author.id) }}
      >
        {isFollowing ? (
          <bdi>{author.name}</bdi>
        ) : (
          <button type="button" class="plain person-name" tabIndex={-1} aria-haspopup="dialog" onClick={open}>
            <bdi>{author.name}</bdi>
          </button>
        )}{' '}
        <BotMark of={author} />
      </p>
      {children}
    </article>
  )
}
