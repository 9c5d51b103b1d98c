const turnMs = 250

/**
 * Calls `giveUp` when something was waited for in vain for `ms`, of which this process was there to hear of it; returns how
 * not to. A timer by itself that comes late, because the process stood still or got no processor, goes off before the
 * answer is read that has long been there, and blames others for it. So short turns are counted, each of which has read
 * what had come, however long it took. While the process is on time it is `ms`.
 */
export function waitAtMost(ms: number, giveUp: () => void): () => void {
  const turns = Math.ceil(ms / turnMs)
  let left = turns
  let isOver = false
  let timer = setTimeout(read, ms / turns).unref()

  function read(): void {
    onceRead(count)
  }

  function count(): void {
    if (isOver) return
    left -= 1
    if (left > 0) timer = setTimeout(read, ms / turns).unref()
    else giveUp()
  }

  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** To be called by a timer: goes on when what had come by then was read, which happens between timers and immediates. */
export function onceRead(goOn: () => void): void {
  setImmediate(goOn)
}
