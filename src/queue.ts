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

/** Runs work of an owner when their turn comes, or refuses it. */
type FairQueue = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

/**
 * The same for work of many owners, who take turns: one piece of each runs at a time, and no more than `waitingOfOne`
 * of one owner wait, so that nobody waits behind all that another one wants.
 */
export function createFairQueue(limits: {
  atOnce: number
  waiting: number
  waitingOfOne: number
}): FairQueue {
  const takeTurn = createQueue({ atOnce: limits.atOnce, waiting: Number.POSITIVE_INFINITY })
  const owners = new Map<string, { takeOwnTurn: Queue; pieces: number }>()
  let pieces = 0

  function enter(name: string) {
    const owner = owners.get(name) ?? {
      takeOwnTurn: createQueue({ atOnce: 1, waiting: Number.POSITIVE_INFINITY }),
      pieces: 0,
    }
    const isFull = owner.pieces > limits.waitingOfOne || pieces >= limits.atOnce + limits.waiting
    if (isFull) throw new ApiError('unavailable')
    owners.set(name, owner)
    owner.pieces += 1
    pieces += 1
    return owner
  }

  return async (name, work) => {
    const owner = enter(name)
    try {
      return await owner.takeOwnTurn(() => takeTurn(work))
    } finally {
      pieces -= 1
      owner.pieces -= 1
      if (owner.pieces === 0) owners.delete(name)
    }
  }
}
