/** Waits for other processes to acknowledge messages. */
type Acknowledgements = {
  /**
   * The number for a new message. `settled` resolves once all `peers` have acknowledged it or are gone, or the time is
   * up. Who lets the time pass is not waited for again until it is heard: it may be gone.
   */
  expect(peers: Iterable<string>): { number: number; settled: Promise<void> }
  /** A peer has dealt with the message of this number. */
  acknowledge(number: number, peer: string): void
  /** A peer has sent something. */
  heard(peer: string): void
  /** Nothing is expected of a peer any more. */
  forget(peer: string): void
}

export function createAcknowledgements(withinMs: number): Acknowledgements {
  const open = new Map<number, { missing: Set<string>; settle: () => void }>()
  const silent = new Set<string>()
  let last = 0

  function acknowledge(number: number, peer: string): void {
    const expected = open.get(number)
    expected?.missing.delete(peer)
    if (expected?.missing.size === 0) expected.settle()
  }

  return {
    expect(peers) {
      last += 1
      const number = last
      const missing = new Set([...peers].filter((peer) => !silent.has(peer)))
      if (missing.size === 0) return { number, settled: Promise.resolve() }
      const settled = new Promise<void>((resolve) => {
        const settle = () => {
          clearTimeout(timer)
          open.delete(number)
          resolve()
        }
        const timer = setTimeout(() => {
          for (const peer of missing) silent.add(peer)
          settle()
        }, withinMs)
        open.set(number, { missing, settle })
      })
      return { number, settled }
    },
    acknowledge,
    heard: (peer) => void silent.delete(peer),
    forget(peer) {
      silent.delete(peer)
      for (const number of [...open.keys()]) acknowledge(number, peer)
    },
  }
}
