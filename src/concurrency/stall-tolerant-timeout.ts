const turnMs = 250

/**
 * Calls `onTimeout` after `ms`, not counting time in which this process itself was stopped; returns how to cancel that.
 * When a process gets no CPU for a while, Node runs the timers that are due before it reads from its sockets: a plain
 * timer would then fire although the answer has arrived. So this counts short turns, and at the end of each
 * everything that had arrived has been read. While the process is on time, they add up to `ms`.
 */
export function stallTolerantTimeout(ms: number, onTimeout: () => void): () => void {
  const turns = Math.ceil(ms / turnMs)
  let left = turns
  let isOver = false
  let timer = setTimeout(read, ms / turns).unref()

  function read(): void {
    afterPendingIo(count)
  }

  function count(): void {
    if (isOver) return
    left -= 1
    if (left > 0) timer = setTimeout(read, ms / turns).unref()
    else onTimeout()
  }

  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/**
 * For use in timers: calls `callback` once everything that had arrived has been read, which Node does between timers
 * and immediates.
 */
export function afterPendingIo(callback: () => void): void {
  setImmediate(callback)
}
