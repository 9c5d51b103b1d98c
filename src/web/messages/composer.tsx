import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { permission } from '../../houses/permissions.ts'
import { mayInRoom } from '../rooms/permissions.ts'
import { api } from '../session.ts'
import { isSend } from '../settings/send-key.ts'
import { Icon } from '../shell/icon.tsx'
import type { Room } from '../state/state.ts'
import { plural, t } from '../texts/texts.ts'
import { draftOf, keepDraft } from './drafts.ts'
import { editLastOwn } from './editing.ts'
import { EmojiPicker } from './emoji-picker.tsx'
import { ExplodingTimer } from './exploding-timer.tsx'
import { FileButton } from './file-button.tsx'
import { fitHeight } from './fit-height.ts'
import { MessageField } from './message-field.tsx'
import { Replying } from './quote.tsx'
import { asSent } from './references.ts'
import { cancelReply, repliedIn, replyFields } from './replying.ts'
import { outbox, sendMessage } from './sending.ts'
import { TooFast } from './too-fast.tsx'
import { UploadList } from './upload-list.tsx'
import { chooseFiles, sendFiles, uploads } from './uploads.ts'
import { useCompletion } from './use-completion.ts'

/** In code points. */
const longest = 4_000
/** From here on it is shown how much is left. */
const nearlyLongest = 3_500
/** One who goes on typing says so again after this time. */
const typingMs = 5_000

/** Where one writes. To be keyed by the room. */
export function Composer({ room, name }: { room: Room; name: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const text = useSignal(draftOf(room.id))
  const age = useSignal(0)
  const saidAt = useRef(Number.NEGATIVE_INFINITY)
  useLayoutEffect(() => {
    if (field.current) fitHeight(field.current)
  }, [text.value])
  const type = (typed: string) => {
    text.value = typed
    keepDraft(room.id, typed)
    if (typed === '' || performance.now() - saidAt.current < typingMs) return
    saidAt.current = performance.now()
    api.call('startTyping', { params: { id: room.id } }).catch(() => {})
  }
  const completion = useCompletion(field, room, type)
  if (!mayInRoom(room, permission.SEND_MESSAGES)) return <p class="composer muted">{t().mayNotWrite}</p>

  const content = asSent(text.value.trim(), room)
  const left = longest - Array.from(content).length
  const isFileChosen = uploads.value.some(({ room_id, state }) => room_id === room.id && state === 'chosen')
  const replied = repliedIn(room.id)
  const pausedUntil = outbox.pauses.value[room.id]
  const isEmpty = content === '' && !isFileChosen
  const mayAttach = mayInRoom(room, permission.ATTACH_MEDIA)
  const paste = (event: ClipboardEvent) => {
    const { files } = event.clipboardData ?? {}
    if (!mayAttach || !files || files.length === 0) return
    event.preventDefault()
    chooseFiles(room.id, files)
  }
  const send = () => {
    if (isEmpty || left < 0 || pausedUntil !== undefined) return
    const exploding = age.value > 0 ? { exploding: true as const, exploding_age: age.value } : {}
    const isWithFile = sendFiles(room.id, { content, ...exploding, ...replyFields(replied) })
    if (!isWithFile) sendMessage(room.id, content, { age: age.value, replied })
    cancelReply(room.id)
    type('')
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
    } else if (event.key === 'ArrowUp' && !event.altKey && text.value === '') {
      event.preventDefault()
      editLastOwn(room.id)
    }
  }

  return (
    <form
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
        value={text.value}
        type={type}
        completion={completion}
        onKeyDown={onKeyDown}
        onPaste={paste}
        enterkeyhint="send"
      />
      {mayAttach && <FileButton roomId={room.id} />}
      <ExplodingTimer age={age} />
      <EmojiPicker choose={completion.insert} />
      {left <= longest - nearlyLongest && (
        <output class={left < 0 ? 'failure' : 'muted'}>{plural(t().charactersLeft, left)}</output>
      )}
      <button
        type="submit"
        class="plain"
        aria-label={t().send}
        disabled={isEmpty || left < 0 || pausedUntil !== undefined}
      >
        <Icon name="send" />
      </button>
    </form>
  )
}
