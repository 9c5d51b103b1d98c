/** Waits for other processes to acknowledge messages. */
type Acknowledgements = {
  /**
   * The number for a new message. `settled` resolves once all `peers` have acknowledged it or are gone, or the time is
   * up.
   */
  expect(peers: Iterable<string>): { number: number; settled: Promise<void> }
  /** A peer has dealt with the message of this number. */
  acknowledge(number: number, peer: string): void
  /** Nothing is expected of a peer any more. */
  forget(peer: string): void
}

export function createAcknowledgements(withinMs: number): Acknowledgements {
  const open = new Map<number, { missing: Set<string>; settle: () => void }>()
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
      const settled = new Promise<void>((resolve) => {
        const settle = () => {
          clearTimeout(timer)
          open.delete(number)
          resolve()
        }
        const timer = setTimeout(settle, withinMs)
        open.set(number, { missing: new Set(peers), settle })
      })
      return { number, settled }
    },
    acknowledge,
    forget(peer) {
      for (const number of [...open.keys()]) acknowledge(number, peer)
    },
  }
}
