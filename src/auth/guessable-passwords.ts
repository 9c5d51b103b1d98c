import { minPasswordLength } from '../http/schemas/strings.ts'
import { normalizePassword } from './passwords.ts'

/** The fewest different characters of a password. */
const minDistinct = 4
/** Digits and signs that are often put around a common password, on each side: `!password2026`. */
const maxAdded = 6
/** Shorter names are parts of too many words. */
const minNameLength = 3

let loading: Promise<ReadonlySet<string>> | undefined

/** The passwords that most people use, in lower case. Loaded with the first new password, as the list takes some MB. */
function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  )
  return loading
}

/**
 * Whether a password is among the first that others try: a common one, a sequence, few characters repeated, or one of
 * `names` (of the account and the server), each with digits and signs around it or without. Ignores case.
 */
export async function isGuessable(password: string, names: readonly string[]): Promise<boolean> {
  const text = normalizePassword(password).toLowerCase()
  const unit = repeatedPart(text)
  if ([...unit].length < minPasswordLength || new Set(text).size < minDistinct) return true
  const common = await loadCommonPasswords()
  const forms = [unit, withoutAdded(unit), unit.replace(/\s/g, '')]
  if (forms.some((form) => common.has(form) || isSequence(form))) return true
  const known = new Set(names.flatMap(keysOfName))
  return keysOfName(unit).some((key) => known.has(key))
}

/** The part that a text repeats, else the text. */
function repeatedPart(text: string): string {
  return text.slice(0, (text + text).indexOf(text, 1))
}

/** A text without the digits and signs around it; the text itself if it is made of them. */
function withoutAdded(text: string): string {
  const added = `[^\\p{L}]{0,${maxAdded}}`
  return new RegExp(`^${added}(\\p{L}.*\\p{L})${added}$`, 'su').exec(text)?.[1] ?? text
}

/** Whether each character follows the one before it in the same distance: `abcdefgh`, `87654321`. */
function isSequence(text: string): boolean {
  const points = [...text].map((character) => character.codePointAt(0)!)
  if (points.length < minPasswordLength - 2) return false
  const distance = points[1]! - points[0]!
  return points.every((point, index) => index === 0 || point - points[index - 1]! === distance)
}

/** The letters and digits of a name or a password, and its letters alone: a password that shares one of them is refused. */
function keysOfName(name: string): string[] {
  const plain = name.normalize('NFKC').toLowerCase()
  const keys = [plain.replace(/[^\p{L}\p{N}]/gu, ''), plain.replace(/[^\p{L}]/gu, '')]
  return keys.filter((key) => key.length >= minNameLength)
}
