import type { Hostile } from './hostile.ts'
import type { Scene } from './scene.ts'

const tokenForms = ['', 'Bot ', 'bearer  ']
const hasNoBody = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** The bytes of a request, with the scene's ids where its names stand. */
export function render(hostile: Hostile, { names, tokens }: Scene): Buffer {
  const { caller, method, query, contentType } = hostile
  // Most texts name nothing, and some are long: looking for a `~` first costs next to nothing.
  const named = (text: string) =>
    text.includes('~') ? text.replace(/~([a-z_]+)~/g, (whole, name: string) => names[name] ?? whole) : text
  const target = named(hostile.path) + (query === '' ? '' : `?${query}`)
  const body = hostile.body === null ? undefined : named(hostile.body)
  const length = Buffer.byteLength(body ?? '')
  const lines = [`${method} ${target || '/'} HTTP/1.1`, 'Host: hearth']
  if (caller !== 'nobody') lines.push(`Authorization: ${tokenForms[target.length % 3]}${tokens[caller]}`)
  if (contentType !== null && body !== undefined) lines.push(`Content-Type: ${contentType}`)
  if (body !== undefined || !hasNoBody.has(method)) lines.push(`Content-Length: ${length}`)
  for (const [name, value] of hostile.headers) lines.push(`${name}: ${value}`)
  const head = `${lines.join('\r\n')}\r\n\r\n`
  const bytes = Buffer.allocUnsafe(head.length + length)
  bytes.write(head, 'latin1')
  bytes.write(body ?? '', head.length, 'utf8')
  return bytes
}

/** A request in a line or two, for a person to read. */
export function describe(hostile: Hostile): string {
  const { operation: _, ...told } = hostile
  const text = JSON.stringify(told)
  return text.length <= 1_500 ? text : `${text.slice(0, 1_400)} … (${text.length} characters)`
}
