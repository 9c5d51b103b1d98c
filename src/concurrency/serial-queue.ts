/** Something to be done in its turn. It must not throw. */
type Work = () => void | Promise<void>

/** Does one thing after the other: at once where nothing is before it. */
export type SerialQueue = (work: Work) => void | Promise<void>

/** Keeps what is told to sockets in the order of the log, although some of it needs the database before it is sent. */
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
