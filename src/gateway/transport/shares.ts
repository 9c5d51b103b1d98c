import type { GatewaySettings } from '../settings.ts'
import type { Connection } from './connection.ts'
import { type ReceivedLimit, unlimited } from './received.ts'
import { Share } from './share.ts'

/**
 * The shares of the process, of each address, and of each account: a user together with their bots, named by the id of
 * the user.
 */
export class Shares {
  readonly #ofAll: Share
  readonly #ofAddresses = new Map<string, Share>()
  readonly #ofAccounts = new Map<string, Share>()
  readonly #settings: GatewaySettings

  constructor(settings: GatewaySettings) {
    this.#settings = settings
    this.#ofAll = new Share(settings.maxBytesOfAll, unlimited)
  }

  /** Counts a connection that is not logged in. */
  open(connection: Connection): void {
    connection.countIn([this.#ofAll, this.#ofAddress(connection.address)])
  }

  /** Counts a connection for its account as well. */
  logIn(connection: Connection, account: string): void {
    connection.countIn([this.#ofAll, this.#ofAddress(connection.address), this.#ofAccount(account)])
  }

  /** Notes that a connection of an account was closed for what it has sent. */
  noteRefusal(account: string): void {
    this.#ofAccounts.get(account)?.refused.add(performance.now(), 1, 0)
  }

  /** Whether so many connections of an account were closed for what they have sent that it must wait. */
  isRefused(account: string): boolean {
    const refused = this.#ofAccounts.get(account)?.refused
    if (!refused || refused.isOver(performance.now())) return false
    return refused.exceeds({ frames: this.#settings.maxRefusedOfAccount - 1, bytes: 0 })
  }

  /** The open connections of an account. */
  countOpen(account: string): number {
    return this.#ofAccounts.get(account)?.buffered.countOpen() ?? 0
  }

  /** Forgets the shares without connections. What they received counts until its minute is over. */
  forgetUnused(nowMs: number): void {
    for (const shares of [this.#ofAddresses, this.#ofAccounts]) {
      for (const [key, { buffered, received, refused }] of shares)
        if (buffered.isEmpty && received.isOver(nowMs) && refused.isOver(nowMs)) shares.delete(key)
    }
  }

  #ofAddress(address: string): Share {
    const { maxBytesOfAddress, maxReceivedOfAddress } = this.#settings
    return findOrAdd(this.#ofAddresses, address, maxBytesOfAddress, maxReceivedOfAddress)
  }

  #ofAccount(account: string): Share {
    const { maxBytesOfAccount, maxReceivedOfAccount } = this.#settings
    return findOrAdd(this.#ofAccounts, account, maxBytesOfAccount, maxReceivedOfAccount)
  }
}

function findOrAdd(
  shares: Map<string, Share>,
  key: string,
  maxBytes: number,
  maxReceived: ReceivedLimit,
): Share {
  const share = shares.get(key) ?? new Share(maxBytes, maxReceived)
  shares.set(key, share)
  return share
}
