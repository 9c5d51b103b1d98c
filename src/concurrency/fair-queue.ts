import { ApiError } from '../errors.ts'
import { maxBy } from './max-by.ts'

/** Runs work of an owner (the id of a user, or an address) when their turn comes, or refuses it. */
export type FairQueue = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

type Waiting = { start: () => void; refuse: (error: Error) => void }
type Owner = { isRunning: boolean; waiting: Waiting[] }

/**
 * Lets `atOnce` pieces of work run at the same time, one of each owner, and `waiting` more wait. Owners take turns, so
 * that none waits behind all the work of another. When all places are taken, a newcomer gets the latest place of
 * the owner with the most waiting, unless they would have as many themselves: work without a place is refused with
 * `unavailable`.
 */
export function createFairQueue(limits: { atOnce: number; waiting: number }): FairQueue {
  const owners = new Map<string, Owner>()
  /** Owners who have work waiting and none running, in the order of their turns. */
  const turns = new Set<Owner>()
  let running = 0
  let waiting = 0

  function makeRoom(newcomer: Owner): void {
    if (waiting < limits.waiting) return
    const heaviest = maxBy(owners.values(), (owner) => owner.waiting.length)
    if (!heaviest || heaviest.waiting.length <= newcomer.waiting.length + 1) throw new ApiError('unavailable')
    heaviest.waiting.pop()!.refuse(new ApiError('unavailable'))
    waiting -= 1
  }

  function wait(owner: Owner): Promise<void> {
    if (!owner.isRunning) turns.add(owner)
    waiting += 1
    return new Promise((start, refuse) => owner.waiting.push({ start, refuse }))
  }

  /** Starts the next owner's work in place of finished work: new work cannot overtake it. */
  function startNext(name: string, owner: Owner): void {
    owner.isRunning = false
    if (owner.waiting.length > 0) turns.add(owner)
    else owners.delete(name)
    const [next] = turns
    if (!next) {
      running -= 1
      return
    }
    turns.delete(next)
    next.isRunning = true
    waiting -= 1
    next.waiting.shift()!.start()
  }

  return async (name, work) => {
    const owner = owners.get(name) ?? { isRunning: false, waiting: [] }
    if (owner.isRunning || running >= limits.atOnce) {
      makeRoom(owner)
      owners.set(name, owner)
      await wait(owner)
    } else {
      owners.set(name, owner)
      owner.isRunning = true
      running += 1
    }
    try {
      return await work()
    } finally {
      startNext(name, owner)
    }
  }
}
