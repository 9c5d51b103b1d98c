/** A load generator returned no figure in its round, as happens when the machine stalls for a second. */
export class NoResult extends Error {}

const attempts = 4
let repeated = 0

/**
 * The first result that a round of so many seconds gives; each round takes twice as long as the one before. Throws the
 * last `NoResult` when none of a few gives any.
 */
export async function firstResult<Result>(
  seconds: number,
  attempt: (seconds: number) => Promise<Result>,
): Promise<Result> {
  for (let n = 0; ; n += 1) {
    try {
      return await attempt(seconds * 2 ** n)
    } catch (error) {
      if (!(error instanceof NoResult) || n === attempts - 1) throw error
      repeated += 1
      console.log(`once more: ${error.message}`)
    }
  }
}

/** How often something was attempted again so far. */
export const countRepeated = () => repeated
