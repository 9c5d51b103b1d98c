import { somethingSeen } from '../schemas/strings.ts'

/** Parts of patterns that other languages write differently (`to`), and words for those that they cannot express. */
const rewritings: readonly { from: string; to: string; words?: string }[] = [
  { from: somethingSeen, to: '', words: 'at least one visible character' },
  { from: '(?![0-9]+$)', to: '', words: 'not only digits' },
  { from: '\\p{Cc}', to: '\\u0000-\\u001f\\u007f-\\u009f' },
  // The description of the document says it of all strings.
  { from: '\\p{Cs}', to: '' },
]

/**
 * Whether a pattern means the same in ECMAScript, Python and Rust: no classes such as `\w` (of ASCII only in ECMAScript),
 * no properties, no empty classes, and no groups but `(…)` and `(?:…)`.
 */
export function isShared(pattern: string): boolean {
  const withoutEscapes = pattern.replace(/\\(?:u[0-9a-fA-F]{4}|[^a-zA-Z0-9])/g, 'x')
  return !/\\|\[\^?\]|\(\?[^:]/.test(withoutEscapes)
}

type Described = { pattern?: unknown; description?: unknown }

/** A schema with a pattern that other languages share; the description says what the pattern cannot. */
export function withSharedPattern(schema: Described): object {
  if (typeof schema.pattern !== 'string' || isShared(schema.pattern)) return schema
  const used = rewritings.filter(({ from }) => String(schema.pattern).includes(from))
  const pattern = used.reduce((text, { from, to }) => text.replaceAll(from, to), schema.pattern)
  const { pattern: original, description, ...rest } = schema
  const words = used.flatMap((each) => each.words ?? [])
  if (!isShared(pattern)) return described(rest, [description, `in ECMAScript it matches ${original}`])
  return described({ ...rest, pattern }, [description, ...words])
}

function described(schema: object, words: unknown[]): object {
  const given = words.filter((each) => each !== undefined)
  return { ...schema, ...(given.length > 0 && { description: given.join('; ') }) }
}
