import { ApiError } from './errors.ts'

/** Runs work when its turn comes, or refuses it. */
export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Lets `atOnce` pieces of work run at the same time and `waiting` more wait for their turn, in the order they came.
 * Past that it throws `unavailable`.
 */
export function createQueue(limits: { atOnce: number; waiting: number }): Queue {
  const turns: (() => void)[] = []
  let running = 0

  return async (work) => {
    if (running >= limits.atOnce) {
      if (turns.length >= limits.waiting) throw new ApiError('unavailable')
      // Finished work hands its place over, so that new work cannot take it first.
      await new Promise<void>((resolve) => turns.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      const next = turns.shift()
      if (next) next()
      else running -= 1
    }
  }
}
