/** Letters of scripts that are written from right to left. */
const rightToLeft =
  /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}\p{sc=Samr}\p{sc=Mand}\p{sc=Rohg}]/u

/** A name for a text where there are no elements: what stands beside it keeps its order, whatever script the name has. */
export function isolated(name: string): string {
  return rightToLeft.test(name) ? `\u2068${name}\u2069` : name
}

/** Some names in a row. */
export function listed(names: readonly string[]): string {
  return names.map(isolated).join(', ')
}

/** A catalogue whose texts isolate the names that they are given. */
export function isolating<Catalogue extends object>(catalogue: Catalogue): Catalogue {
  const texts = Object.entries(catalogue).map(([key, text]) => [
    key,
    typeof text === 'function' ? around(text) : text,
  ])
  return Object.fromEntries(texts) as Catalogue
}

function around(text: (...values: unknown[]) => string) {
  return (...values: unknown[]) =>
    text(...values.map((value) => (typeof value === 'string' ? isolated(value) : value)))
}
