import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Keeps a value with the browser that only this installation can read and make. */
export type SealedCookie<Value> = {
  /** The `Set-Cookie` header that keeps a value, or (undefined) removes it. */
  header(value: Value | undefined, isSecure: boolean): string
  /** The value in a `Cookie` header that is not too old, or undefined. */
  read(header: string | undefined): Value | undefined
}

/** `secret` is the same for all processes of the installation; `now` in ms. */
export function createSealedCookie<Value>(
  name: string,
  secret: string,
  lifeSeconds: number,
  now: () => number = Date.now,
): SealedCookie<Value> {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `hearth cookie ${name}`, 32))

  function seal(value: Value): string {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, key, nonce)
    const text = JSON.stringify({ value, until: now() + lifeSeconds * 1000 })
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  function open(sealed: string): Value | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length <= nonceBytes + tagBytes) return undefined
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    try {
      const text = decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8')
      const { value, until } = JSON.parse(text + decipher.final('utf8'))
      return until > now() ? value : undefined
    } catch {
      return undefined
    }
  }

  return {
    header(value, isSecure) {
      const content = value === undefined ? '' : seal(value)
      const age = value === undefined ? 0 : lifeSeconds
      // Lax: the provider leads back by a link.
      const attributes = [
        'Path=/',
        `Max-Age=${age}`,
        'HttpOnly',
        'SameSite=Lax',
        ...(isSecure ? ['Secure'] : []),
      ]
      return [`${name}=${content}`, ...attributes].join('; ')
    },
    read(header = '') {
      const pairs = header.split(';').map((each) => each.trim())
      const found = pairs.find((each) => each.startsWith(`${name}=`))
      return found === undefined ? undefined : open(found.slice(name.length + 1))
    },
  }
}
