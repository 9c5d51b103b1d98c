import type { SendMediaMessage } from './operations.ts'

const nonceBytes = 16

/** A nonce that nobody else has. (`crypto.randomUUID` is missing in pages that do not come over https.) */
export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(nonceBytes))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The body with the nonce that it has, else a new one. */
export function withNonce<Body extends { nonce?: string }>(body: Body): Body & { nonce: string } {
  return { ...body, nonce: body.nonce ?? newNonce() }
}

/** The parts of a message with a file, the texts first: the server can refuse before the file has come. */
export function mediaParts(body: SendMediaMessage): FormData {
  const { file, filename, ...fields } = withNonce(body)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null) form.append(name, String(value))
  }
  const name = filename ?? (file as { name?: string }).name ?? 'file'
  form.append('file', file, name)
  return form
}
