import { signal } from '@preact/signals'
import { ApiError } from '../../client/errors.ts'
import { newNonce } from '../../client/message-bodies.ts'
import { normalizeMessage } from '../../client/messages.ts'
import { api, countUnsent } from '../session.ts'
import { onPersonLeft } from '../state/store.ts'
import { errorText, t } from '../texts/texts.ts'
import { showMessage } from './loading.ts'
import type { ReplyFields } from './replying.ts'

/** A file that was chosen for a room, until it is sent or removed. It stays with the room, as long as the page. */
export type Upload = {
  /** Repeated with each try, so that the file is sent once. */
  nonce: string
  room_id: string
  file: File
  /** Whether a picture is sent with its metadata. */
  asFile: boolean
  state: 'chosen' | 'sending' | 'failed'
  /** How much is sent, from 0 to 1. */
  progress: number
  failure?: string
  fields: UploadFields
}

type UploadFields = { content?: string; exploding?: true; exploding_age?: number } & ReplyFields

export const uploads = signal<readonly Upload[]>([])
const aborts = new Map<string, AbortController>()

/** Files are their person's alone, and a page that closes asks before it loses them. */
export function startUploads(): void {
  countUnsent('files', () => uploads.peek().length)
  onPersonLeft(() => {
    for (const { nonce } of uploads.peek()) removeUpload(nonce)
  })
  addEventListener('beforeunload', (event) => {
    if (uploads.peek().length > 0) event.preventDefault()
  })
}

function update(nonce: string, changes: Partial<Upload>): void {
  uploads.value = uploads.peek().map((each) => (each.nonce === nonce ? { ...each, ...changes } : each))
}

export function addFiles(roomId: string, files: readonly File[]): void {
  const added = files.map((file): Upload => {
    return {
      nonce: newNonce(),
      room_id: roomId,
      file,
      asFile: false,
      state: 'chosen',
      progress: 0,
      fields: {},
    }
  })
  uploads.value = [...uploads.peek(), ...added]
}

/** Whether the server changes a file unless it is sent as one: it removes the metadata of such pictures. */
export function isCleanedPicture({ type, name }: File): boolean {
  return /^image\/(?:jpeg|png|webp|avif|hei[cf])$/.test(type) || /\.(?:hei[cf]|hif)$/i.test(name)
}

export function sendAsFile(nonce: string, asFile: boolean): void {
  update(nonce, { asFile })
}

/** Drops a file; one that is being sent is cancelled. */
export function removeUpload(nonce: string): void {
  aborts.get(nonce)?.abort()
  uploads.value = uploads.peek().filter((each) => each.nonce !== nonce)
}

/** Sends the chosen files of a room one after the other, the text, and what it replies to, with the first. Gives whether there were some. */
export function sendFiles(roomId: string, sent: UploadFields): boolean {
  const { content, reply_to_id, reply_mention, ...fields } = sent
  const reply = {
    ...(reply_to_id !== undefined && { reply_to_id }),
    ...(reply_mention === false && { reply_mention }),
  }
  const chosen = uploads.peek().filter(({ room_id, state }) => room_id === roomId && state === 'chosen')
  const tasks = chosen.map(({ nonce }, index) => {
    const own = index === 0 ? { ...fields, ...reply, ...(content && { content }) } : fields
    update(nonce, { state: 'sending', fields: own })
    return nonce
  })
  void sendInTurn(tasks)
  return tasks.length > 0
}

async function sendInTurn(nonces: readonly string[]): Promise<void> {
  for (const nonce of nonces) await sendFile(nonce)
}

/** Sends one file, again if it failed before. */
export async function sendFile(nonce: string): Promise<void> {
  const upload = uploads.peek().find((each) => each.nonce === nonce)
  if (!upload) return
  const abort = new AbortController()
  aborts.set(nonce, abort)
  update(nonce, { state: 'sending', progress: 0 })
  try {
    const message = await api.call('sendMediaMessage', {
      params: { id: upload.room_id },
      query: { extended: 'true' },
      body: { ...upload.fields, ...(upload.asFile && { as_file: true }), nonce, file: upload.file },
      signal: abort.signal,
      onProgress: (sent, total) => update(nonce, { progress: sent / total }),
    })
    showMessage(normalizeMessage(message))
    removeUpload(nonce)
  } catch (error) {
    const { reply_to_id, reply_mention: _, ...fields } = upload.fields
    if (reply_to_id !== undefined && error instanceof ApiError && error.code === 'message_not_found') {
      // What it replies to is gone: it goes as an ordinary message.
      update(nonce, { fields })
      await sendFile(nonce)
    } else update(nonce, { state: 'failed', failure: failureText(error) })
  } finally {
    aborts.delete(nonce)
  }
}

function failureText(error: unknown): string {
  const isDamaged = error instanceof ApiError && error.message === 'Invalid fields (file)'
  return isDamaged ? t().damagedPicture : errorText(error)
}
