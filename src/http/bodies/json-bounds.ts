/** The most keys of objects and members of lists in a JSON body, all together, unless its route says otherwise. */
const maxValues = 20_000
/** The most objects and lists within each other. */
const maxDepth = 32

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const lastSpace = 0x20

/**
 * Whether a JSON text has few enough values, and is flat enough, to be parsed and validated in a few milliseconds. Reads
 * the bytes once, and says nothing of whether they are JSON.
 */
export function isWithinBounds(json: Buffer, most = maxValues): boolean {
  let values = 0
  let depth = 0
  /** Right after an opening bracket: what follows is the first value in it, unless it closes. */
  let isFirst = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]!
    if (byte <= lastSpace) continue
    const closes = byte === 0x5d || byte === 0x7d
    if (byte === comma || (isFirst && !closes)) values += 1
    isFirst = byte === 0x5b || byte === 0x7b
    if (isFirst) depth += 1
    else if (closes) depth -= 1
    else if (byte === quote) at = endOfString(json, at)
    if (values > most || depth > maxDepth) return false
  }
  return true
}

/** The place of the quotation mark that ends the string which begins at `start`. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
  return at
}
