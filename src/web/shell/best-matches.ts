/** Those that match the query by one of their names: first those that begin with it, then those with a word that does. */
export function bestMatches<Value>(
  values: readonly Value[],
  namesOf: (value: Value) => readonly string[],
  query: string,
  count: number,
): Value[] {
  const wanted = fold(query)
  return values
    .map((value) => ({ value, rank: Math.min(...namesOf(value).map((name) => rankOf(fold(name), wanted))) }))
    .filter(({ rank }) => rank < noMatch)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ value }) => value)
}

const noMatch = 4

function rankOf(name: string, wanted: string): number {
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  if (name.includes(` ${wanted}`) || name.includes(`-${wanted}`) || name.includes(`_${wanted}`)) return 2
  return name.includes(wanted) ? 3 : noMatch
}

const mostFolded = 10_000
const folded = new Map<string, string>()

/** Without case and accents. The names of a house are looked through with every key. */
function fold(text: string): string {
  const known = folded.get(text)
  if (known !== undefined) return known
  if (folded.size >= mostFolded) folded.clear()
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  folded.set(text, plain)
  return plain
}
