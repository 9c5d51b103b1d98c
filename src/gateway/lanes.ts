/** Something to be done in its turn. */
export type Work = () => void | Promise<void>

/** Runs the work of one key one after the other, and at once if there is none before it. Work must not throw. */
export type Lanes = (key: string, work: Work) => void | Promise<void>

/**
 * Keeps the events of each house, private room and user in order, although some need the database before they are sent.
 */
export function createLanes(): Lanes {
  const tails = new Map<string, Promise<void>>()

  function follow(key: string, done: Promise<void>): Promise<void> {
    tails.set(key, done)
    return done.finally(() => {
      if (tails.get(key) === done) tails.delete(key)
    })
  }

  return (key, work) => {
    const tail = tails.get(key)
    if (tail) return follow(key, tail.then(work))
    const done = work()
    if (done) return follow(key, done)
  }
}
