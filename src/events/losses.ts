import { waitAtMost } from '../deadline.ts'

/** Notices when something that another process sent does not come. */
type Losses = {
  /** What a process sent under this number has come. Returns whether it came for the first time. */
  came(peer: string, number: number): boolean
  /** A process has sent something under each number up to this one. */
  sentSoFar(peer: string, number: number): void
}

/**
 * `upTo`: everything up to this number has come; `later`: what came of the numbers after it; `sent`: the greatest
 * number that is known to have been sent.
 */
type Received = { upTo: number; sent: number; later: Set<number>; stopWaiting?: (() => void) | undefined }

const maxPeers = 1_000

/**
 * Calls `onLoss` when something is missing for longer than `withinMs`. What a process sent before it was first heard
 * does not count.
 */
export function noticeLosses(withinMs: number, onLoss: () => void): Losses {
  const peers = new Map<string, Received>()

  function receivedFrom(peer: string, upTo: number): Received {
    const known = peers.get(peer)
    if (known) return known
    const added: Received = { upTo, sent: upTo, later: new Set() }
    peers.set(peer, added)
    const [oldest] = peers.keys()
    if (peers.size > maxPeers) peers.delete(oldest!)
    return added
  }

  function check(received: Received): void {
    const isMissing = received.upTo < received.sent
    if (isMissing) {
      received.stopWaiting ??= waitAtMost(withinMs, () => giveUp(received))
    } else {
      received.stopWaiting?.()
      received.stopWaiting = undefined
    }
  }

  function giveUp(received: Received): void {
    received.stopWaiting = undefined
    received.upTo = received.sent
    received.later.clear()
    onLoss()
  }

  return {
    came(peer, number) {
      const received = receivedFrom(peer, number - 1)
      if (number <= received.upTo || received.later.has(number)) return false
      received.sent = Math.max(received.sent, number)
      received.later.add(number)
      while (received.later.delete(received.upTo + 1)) received.upTo += 1
      check(received)
      return true
    },
    sentSoFar(peer, number) {
      const received = receivedFrom(peer, number)
      received.sent = Math.max(received.sent, number)
      check(received)
    },
  }
}
