/**
 * Starts something whose module is not needed for the first paint, once it is loaded. `start` settles with what ends it.
 * Returns what ends it, loaded or not.
 */
export function startLater(start: () => Promise<() => void>): () => void {
  let end: (() => void) | undefined
  let isEnded = false
  start().then(
    (stop) => {
      if (isEnded) stop()
      else end = stop
    },
    () => {},
  )
  return () => {
    isEnded = true
    end?.()
  }
}
