import type { SendMediaMessage } from './operations.ts'

const nonceBytes = 16

/** A random nonce of 32 hex characters. (`crypto.randomUUID` is missing in pages without https.) */
export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(nonceBytes))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The body with a new nonce, unless it has one. */
export function withNonce<Body extends { nonce?: string }>(body: Body): Body & { nonce: string } {
  return { ...body, nonce: body.nonce ?? newNonce() }
}

/** The multipart body of a message, text parts first, so that the server can refuse them before it receives the file. */
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
