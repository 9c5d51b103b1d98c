import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { permission } from '../../houses/permissions.ts'
import { mayInRoom } from '../rooms/permissions.ts'
import { api } from '../session.ts'
import { isSend } from '../settings/send-key.ts'
import { Icon } from '../shell/icon.tsx'
import type { Room } from '../state/state.ts'
import { plural, t } from '../texts/texts.ts'
import { chooseFiles } from './choose-files.tsx'
import { changedDraft, draftOf, keepDraft } from './drafts.ts'
import { editLastOwn } from './editing.ts'
import { EmojiPicker } from './emoji-picker.tsx'
import { ExplodingTimer } from './exploding-timer.tsx'
import { changeText } from './field-text.ts'
import { FileButton } from './file-button.tsx'
import { fitHeight } from './fit-height.ts'
import { MessageField } from './message-field.tsx'
import { pastedFiles } from './pasted-files.ts'
import { Replying } from './quote.tsx'
import { asSent } from './references.ts'
import { cancelReply, repliedIn, replyFields } from './replying.ts'
import { outbox, sendMessage } from './sending.ts'
import { TooFast } from './too-fast.tsx'
import { UploadList } from './upload-list.tsx'
import { sendFiles, uploads } from './uploads.ts'
import { useCompletion } from './use-completion.ts'

/** In code points. */
const longest = 4_000
/** From here on it is shown how much is left. */
const nearlyLongest = 3_500
/** A name becomes this long at most when it is sent: a mention, or the address of a room. */
const longestReference = 200
/** One who goes on typing says so again after this time. */
const typingMs = 5_000

/** Where one writes. To be keyed by the room. A key renders only what it changes. */
export function Composer({ room, name }: { room: Room; name: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const text = useSignal(draftOf(room.id))
  const age = useSignal(0)
  const saidAt = useRef(Number.NEGATIVE_INFINITY)
  useSignalEffect(() => fitHeight(field.current, text.value))
  const type = (typed: string) => {
    text.value = typed
    keepDraft(room.id, typed)
    if (typed === '' || performance.now() - saidAt.current < typingMs) return
    saidAt.current = performance.now()
    // What one has typed is shown first.
    setTimeout(() => api.call('startTyping', { params: { id: room.id } }).catch(() => {}))
  }
  useSignalEffect(() => {
    if (changedDraft.value !== room.id) return
    changedDraft.value = undefined
    if (field.current) changeText(field.current, draftOf(room.id))
    text.value = draftOf(room.id)
  })
  const completion = useCompletion(field, room)
  const present = useRef(room)
  present.current = room
  const left = useComputed(() => charactersLeft(text.value, present.current))
  const pausedUntil = outbox.pauses.value[room.id]
  const isEmpty = useComputed(() => {
    const isFile = uploads.value.some(({ room_id, state }) => room_id === room.id && state === 'chosen')
    return !isFile && text.value.trim() === ''
  })
  const mayNotSend = useComputed(
    () => isEmpty.value || (left.value ?? 0) < 0 || room.id in outbox.pauses.value,
  )
  if (!mayInRoom(room, permission.SEND_MESSAGES)) return <p class="composer muted">{t().mayNotWrite}</p>

  const replied = repliedIn(room.id)
  const mayAttach = mayInRoom(room, permission.ATTACH_MEDIA)
  const paste = (event: ClipboardEvent) => {
    const files = event.clipboardData ? pastedFiles(event.clipboardData) : []
    if (!mayAttach || files.length === 0) return
    event.preventDefault()
    chooseFiles(room.id, files)
  }
  const send = () => {
    if (mayNotSend.peek()) return
    completion.emoji.finish()
    const content = asSent(text.peek().trim(), room)
    const exploding = age.value > 0 ? { exploding: true as const, exploding_age: age.value } : {}
    const isWithFile = sendFiles(room.id, { content, ...exploding, ...replyFields(replied) })
    if (!isWithFile) sendMessage(room.id, content, { age: age.value, replied })
    cancelReply(room.id)
    type('')
    age.value = 0
    saidAt.current = Number.NEGATIVE_INFINITY
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isSend(event)) {
      event.preventDefault()
      send()
    } else if (event.key === 'Escape' && replied) {
      event.preventDefault()
      event.stopPropagation()
      cancelReply(room.id)
    } else if (event.key === 'ArrowUp' && !event.altKey && text.peek() === '') {
      event.preventDefault()
      editLastOwn(room.id)
    }
  }

  return (
    <form
      id="composer"
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {replied && <Replying to={replied} />}
      <UploadList roomId={room.id} />
      {pausedUntil !== undefined && <TooFast until={pausedUntil} />}
      <MessageField
        field={field}
        label={t().messageTo(name)}
        placeholder={t().messageTo(name)}
        value={text}
        type={type}
        completion={completion}
        onKeyDown={onKeyDown}
        onPaste={paste}
        enterkeyhint="send"
      />
      {mayAttach && <FileButton roomId={room.id} />}
      <ExplodingTimer age={age} />
      <EmojiPicker choose={completion.insert} />
      <Counter left={left} />
      <button type="submit" class="plain" aria-label={t().send} disabled={mayNotSend}>
        <Icon name="send" />
      </button>
    </form>
  )
}

/** How many characters are left, in code points, of what is sent; undefined while that is not worth a word. */
function charactersLeft(typed: string, room: Room): number | undefined {
  const content = typed.trim()
  const names = content.match(/[@#]/g)?.length ?? 0
  if (content.length + names * longestReference < nearlyLongest) return undefined
  const left = longest - Array.from(asSent(content, room)).length
  return left <= longest - nearlyLongest ? left : undefined
}

function Counter({ left: { value } }: { left: ReadonlySignal<number | undefined> }) {
  if (value === undefined) return null
  if (value < 0) return <output class="failure">{plural(t().charactersOver, -value)}</output>
  return <output class="muted">{plural(t().charactersLeft, value)}</output>
}
