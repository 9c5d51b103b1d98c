import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const nonceBytes = 8
const signatureBytes = 8

/**
 * The id of a new gateway session, 32 hex digits: a nonce, signed for a login session with the epoch of the log as the key.
 * Any process can verify it, and none stores anything for it.
 */
export function newSessionId(epoch: string, loginSessionId: string): string {
  const nonce = randomBytes(nonceBytes)
  return Buffer.concat([nonce, sign(epoch, loginSessionId, nonce)]).toString('hex')
}

/** Whether an id was made for this login session in this epoch of the log. */
export function isSessionId(id: string, epoch: string, loginSessionId: string): boolean {
  const bytes = Buffer.from(id, 'hex')
  if (bytes.length !== nonceBytes + signatureBytes || bytes.toString('hex') !== id) return false
  const nonce = bytes.subarray(0, nonceBytes)
  return timingSafeEqual(bytes.subarray(nonceBytes), sign(epoch, loginSessionId, nonce))
}

function sign(epoch: string, loginSessionId: string, nonce: Buffer): Buffer {
  const signature = createHmac('sha256', epoch).update(nonce).update(loginSessionId).digest()
  return signature.subarray(0, signatureBytes)
}
