import type { OperationId } from './operations.ts'
import { paths } from './paths.ts'

/** Throws unless the address is that of a server; in a browser `''` is one. */
export function checkAddress(address: unknown): void {
  if (address === '' && 'location' in globalThis) return
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  if (url && /^https?:$/.test(url.protocol) && /^\/*$/.test(url.pathname) && url.search + url.hash === '')
    return
  const given = address === undefined ? 'missing' : JSON.stringify(address)
  throw new TypeError(`The address of the server must look like https://chat.example.org, and is ${given}`)
}

type GivenInput = { params?: Record<string, string | undefined>; body?: object } | undefined

/** Throws for an operation that does not exist, a missing parameter of its path, and a file that cannot be sent. */
export function checkInput(operation: OperationId, input: GivenInput): void {
  if (!Object.hasOwn(paths, operation)) throw new TypeError(`There is no operation ${operation}`)
  const path = paths[operation]
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
    const value = input?.params?.[name!]
    if (value === undefined || value === null || value === '') {
      throw new TypeError(`${operation} (${path}): params.${name} is missing`)
    }
  }
  if (operation !== 'sendMediaMessage') return
  const { file } = (input?.body ?? {}) as { file?: unknown }
  if (!(file instanceof Blob)) throw new TypeError(`${operation} (${path}): body.file must be a Blob`)
}
