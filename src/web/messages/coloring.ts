/** The time for colours grows with the square of the length in some languages. Longer code has none. */
const mostCharacters = 2_000

let last: Promise<unknown> = Promise.resolve()

/** Colours one code after the other; the page responds in between. Undefined for code that is too long. */
export function colourInTurn<Coloured>(
  text: string,
  colour: (text: string) => Coloured,
): Promise<Coloured | undefined> {
  if (text.length > mostCharacters) return Promise.resolve(undefined)
  const turn = last.then(() => new Promise((resolve) => setTimeout(resolve)))
  const coloured = turn.then(() => colour(text))
  last = coloured.catch(() => {})
  return coloured
}
