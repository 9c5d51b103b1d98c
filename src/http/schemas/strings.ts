import { type StringOptions, Type } from '@sinclair/typebox'
import { visibleCharacter } from '../../text.ts'

/** Lengths of a password to set (docs/api.md#field-limits). */
export const minPasswordLength = 8
export const maxPasswordLength = 256

const noControl = '[^\\p{Cc}\\p{Cs}]'
// One character class, because a repeated alternative would overflow the stack on texts of several megabytes.
const noControlButBreaks = '[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\p{Cs}]'

/** The part of a pattern that asks for a character that is seen. */
export const somethingSeen = `(?=[^]*${visibleCharacter})`

/** Any well-formed string: no U+0000, no unpaired surrogate. Lengths count code points. */
export function AnyText(options: StringOptions = {}) {
  return Type.String({ pattern: '^[^\\u0000\\p{Cs}]*$', ...options })
}

/** One line: no control characters. */
export function Line(maxLength: number, options: StringOptions = {}) {
  return Type.String({ maxLength, pattern: `^${noControl}*$`, ...options })
}

/** The name of something: one line with at least one character that is seen, cleaned of those that are not. */
export function NameLine(maxLength: number) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: `^${somethingSeen}${noControl}*$`,
    'x-cleaned': true,
  })
}

/** Text that may contain tabs and line breaks, but no other control characters. */
export function Text(maxLength: number, options: StringOptions = {}) {
  return Type.String({ maxLength, pattern: `^${noControlButBreaks}*$`, ...options })
}

/** The same, cleaned of characters that are not seen. */
export function CleanText(maxLength: number) {
  return Text(maxLength, { 'x-cleaned': true })
}

/** Text with at least one character that is seen. */
export function NonBlankText(maxLength: number) {
  return Type.String({ minLength: 1, maxLength, pattern: `^${somethingSeen}${noControlButBreaks}*$` })
}
