/** Work of the queue. It must not throw. */
type Work = () => void | Promise<void>

/** Runs work one after another; starts it at once if the queue is empty. */
export type SerialQueue = (work: Work) => void | Promise<void>

/** The gateway sends events through it in the order of the log, although some need a database read first. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<void> | undefined

  function follow(done: Promise<void>): Promise<void> {
    last = done
    return done.finally(() => {
      if (last === done) last = undefined
    })
  }

  return (work) => {
    if (last) return follow(last.then(work, work))
    const done = work()
    if (done) return follow(done)
  }
}
