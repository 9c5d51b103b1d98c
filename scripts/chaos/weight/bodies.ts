/** A body of JSON: a text, or one that is heavy to parse or to check. */
export type Body =
  | { text: string }
  | { brackets: number }
  | { unknownKeys: number }
  | { recipients: number }
  /** Sent many times: kept once made. */
  | { icon: string }

const made = new Map<string, Buffer>()

/** The bytes of a body. In a text, `{n}` becomes the number. */
export function makeBody(body: Body, number: number): Buffer {
  if ('text' in body) return Buffer.from(body.text.replace('{n}', `${number}`))
  const key = 'icon' in body ? 'icon' : JSON.stringify(body)
  const known = made.get(key)
  if (known) return known
  const bytes = Buffer.from(write(body))
  made.set(key, bytes)
  return bytes
}

function write(body: Exclude<Body, { text: string }>): string {
  if ('brackets' in body) return '['.repeat(body.brackets)
  if ('icon' in body) return JSON.stringify(body)
  if ('recipients' in body) return `{"recipients":[${'{},'.repeat(body.recipients - 1)}{}]}`
  const keys = Array.from({ length: body.unknownKeys }, (_none, n) => `"${n.toString(36)}":0`)
  return `{${keys.join()}}`
}
