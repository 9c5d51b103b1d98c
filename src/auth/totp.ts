import { randomInt } from 'node:crypto'

const issuer = 'Hearth'
const stepSeconds = 30
const backupCodes = 10
const backupCodeLength = 10
const alphabet = 'abcdefghijklmnopqrstuvwxyz23456789'

/** Loaded at its first use, as most servers rarely need it. */
const loadOtp = () => import('otplib')

/** A new TOTP secret, base32, and the address that authenticator apps scan. */
export async function newTotpSecret(label: string): Promise<{ secret: string; otpauth_url: string }> {
  const { generateSecret, generateURI } = await loadOtp()
  const secret = generateSecret()
  return { secret, otpauth_url: generateURI({ issuer, label, secret }) }
}

/** The 30 s step a code belongs to, one step of tolerance on each side; undefined when the code is wrong. */
export async function totpStep(secret: string, code: string): Promise<number | undefined> {
  const { verify } = await loadOtp()
  const result = await verify({ secret, token: code, epochTolerance: stepSeconds })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

/** Ten backup codes, for users who have lost their phone. */
export function newBackupCodes(): string[] {
  return Array.from({ length: backupCodes }, () =>
    Array.from({ length: backupCodeLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
  )
}
