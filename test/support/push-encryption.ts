import { createDecipheriv, createPublicKey, type ECDH, hkdfSync, verify } from 'node:crypto'

const [saltBytes, headerBytes, keyBytes, tagBytes] = [16, 21, 65, 16]

/** Decrypts a push as a browser does: RFC 8188 (aes128gcm, one record) with the keys of RFC 8291. */
export function decryptPush(body: Buffer, pair: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, saltBytes)
  const recordBytes = body.readUInt32BE(saltBytes)
  if (body[headerBytes - 1] !== keyBytes) throw new Error('the key of the sender has another length')
  const sender = body.subarray(headerBytes, headerBytes + keyBytes)
  const record = body.subarray(headerBytes + keyBytes)
  if (record.length > recordBytes) throw new Error('the push has more than one record')
  const shared = pair.computeSecret(sender)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender])
  const keying = Buffer.from(hkdfSync('sha256', shared, auth, info, 32))
  const derive = (name: string, length: number) =>
    Buffer.from(hkdfSync('sha256', keying, salt, `Content-Encoding: ${name}\0`, length))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(record.subarray(-tagBytes))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -tagBytes)), decipher.final()])
  const end = padded.findLastIndex((byte) => byte !== 0)
  if (padded[end] !== 2) throw new Error('the last record does not end as one')
  return padded.subarray(0, end).toString('utf8')
}

export type Vapid = { key: string; claims: { aud: string; exp: number; sub: string } }

/** Who signed a push (RFC 8292). Throws for a signature that is not of the key. */
export function readVapid(authorization: string): Vapid {
  const [, token, key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization)!
  const [header, claims, signature] = token!.split('.') as [string, string, string]
  const point = Buffer.from(key!, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (alg !== 'ES256' || !isSigned) throw new Error('the signature is wrong')
  return { key: key!, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) }
}
