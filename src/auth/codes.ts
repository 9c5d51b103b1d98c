/** The longest text that a typed code is read from, in UTF-16 code units. */
const maxTypedLength = 256

/**
 * A code as it is stored, from how people and apps write it: in groups with spaces or hyphens between them, with digits of
 * another width or script, in capitals.
 */
export function normalizeCode(typed: string): string {
  return normalizeInviteCode(typed).toLowerCase()
}

/** The same for the code of an invite, in which capitals matter. */
export function normalizeInviteCode(typed: string): string {
  if (typed.length > maxTypedLength) return typed
  return typed
    .normalize('NFKC')
    .replace(/[\s\p{Pd}\p{Cf}\u2212]/gu, '')
    .replace(/\p{Nd}/gu, digitOf)
}

/** The ASCII digit of a decimal digit. The digits of a script follow one another, from 0 to 9. */
function digitOf(character: string): string {
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(character.codePointAt(0)! - value - 1))) value += 1
  return String(value)
}

/** Whether a typed code has the form of a TOTP code; all others are taken for backup codes. */
export function isTotpCode(typed: string): boolean {
  return /^[0-9]{6}$/.test(normalizeCode(typed))
}
