import { maxBy } from '../../concurrency/max-by.ts'

/** A body of which bytes are in memory: of a user, or of an address without one. `refuse` must release it. */
export type CountedBody = { owner: string; bytes: number; refuse: () => void }

/** `refusable`: the bodies that are being received or wait for their turn, in the order in which they came. */
type Owner = { bytes: number; refusable: Set<CountedBody> }

/** The bytes that all request bodies together have in memory. */
export type BodyBudget = {
  readonly bytes: number
  /** Adds bytes to a body. Past the limit it refuses the latest body of the owner with the most bytes. */
  add(body: CountedBody, bytes: number): void
  /** Marks a body as being handled: it still counts, but can no longer be refused. */
  settle(body: CountedBody): void
  /** Removes a body; does nothing if it was removed before. */
  release(body: CountedBody): void
}

export function createBodyBudget(maxBytes: number): BodyBudget {
  const owners = new Map<string, Owner>()
  let total = 0

  function count(body: CountedBody, bytes: number): Owner {
    const owner = owners.get(body.owner) ?? { bytes: 0, refusable: new Set() }
    body.bytes += bytes
    owner.bytes += bytes
    total += bytes
    if (owner.bytes > 0) owners.set(body.owner, owner)
    else owners.delete(body.owner)
    return owner
  }

  function refuseLatest(): void {
    const heaviest = maxBy(owners.values(), ({ bytes, refusable }) => (refusable.size > 0 ? bytes : 0))
    const latest = [...heaviest!.refusable].at(-1)!
    latest.refuse()
  }

  return {
    get bytes() {
      return total
    },
    add(body, bytes) {
      count(body, bytes).refusable.add(body)
      while (total > maxBytes) refuseLatest()
    },
    settle(body) {
      owners.get(body.owner)?.refusable.delete(body)
    },
    release(body) {
      owners.get(body.owner)?.refusable.delete(body)
      count(body, -body.bytes)
    },
  }
}
