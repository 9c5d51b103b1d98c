import { type StringOptions, Type } from '@sinclair/typebox'

const noControl = '[^\\p{Cc}\\p{Cs}]'
const noControlButBreaks = '(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])'

/** Any well-formed string: no U+0000, no unpaired surrogate. Lengths count code points. */
export function AnyText(options: StringOptions = {}) {
  return Type.String({ pattern: '^[^\\u0000\\p{Cs}]*$', ...options })
}

/** One line: no control characters. */
export function Line(maxLength: number, options: StringOptions = {}) {
  return Type.String({ maxLength, pattern: `^${noControl}*$`, ...options })
}

/** One line with at least one character that is not white space. */
export function FilledLine(maxLength: number, options: StringOptions = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: `^(?=[^]*\\S)${noControl}*$`, ...options })
}

/** Text that may hold tabs and line breaks, but no other control characters. */
export function Text(maxLength: number, options: StringOptions = {}) {
  return Type.String({ maxLength, pattern: `^${noControlButBreaks}*$`, ...options })
}

/** Such text with at least one character that is not white space. */
export function FilledText(maxLength: number, options: StringOptions = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: `^(?=[^]*\\S)${noControlButBreaks}*$`, ...options })
}
