import type { GatewaySettings } from '../settings.ts'
import type { Connection } from './connection.ts'
import { type ReceivedLimit, unlimited } from './received.ts'
import { Share } from './share.ts'

/**
 * The shares of the process, of each address, and of each person: a user together with their bots, named by the id of
 * the user.
 */
export class Shares {
  readonly #ofAll: Share
  readonly #ofAddresses = new Map<string, Share>()
  readonly #ofPeople = new Map<string, Share>()
  readonly #settings: GatewaySettings

  constructor(settings: GatewaySettings) {
    this.#settings = settings
    this.#ofAll = new Share(settings.maxBytesOfAll, unlimited)
  }

  /** Counts a connection that is not logged in. */
  open(connection: Connection): void {
    connection.countIn([this.#ofAll, this.#ofAddress(connection.address)])
  }

  /** Counts a connection for its person as well. */
  logIn(connection: Connection, personId: string): void {
    connection.countIn([this.#ofAll, this.#ofAddress(connection.address), this.#ofPerson(personId)])
  }

  /** Notes that a connection of a person was closed for what it has sent. */
  noteRefusal(personId: string): void {
    this.#ofPeople.get(personId)?.refused.add(performance.now(), 1, 0)
  }

  /** Whether a person must wait, because too many of their connections were closed for what they have sent. */
  isRefused(personId: string): boolean {
    const refused = this.#ofPeople.get(personId)?.refused
    if (!refused || refused.isOver(performance.now())) return false
    return refused.exceeds({ frames: this.#settings.maxRefusedOfPerson - 1, bytes: 0 })
  }

  /** The connections of a person. One that is closing counts until it is gone, as it takes as much as before. */
  countConnections(personId: string): number {
    return this.#ofPeople.get(personId)?.buffered.connectionCount ?? 0
  }

  /** Forgets the shares without connections. What they received counts until its minute is over. */
  forgetUnused(nowMs: number): void {
    for (const shares of [this.#ofAddresses, this.#ofPeople]) {
      for (const [key, { buffered, received, refused }] of shares)
        if (buffered.isEmpty && received.isOver(nowMs) && refused.isOver(nowMs)) shares.delete(key)
    }
  }

  #ofAddress(address: string): Share {
    const { maxBytesOfAddress, maxReceivedOfAddress } = this.#settings
    return findOrAdd(this.#ofAddresses, address, maxBytesOfAddress, maxReceivedOfAddress)
  }

  #ofPerson(personId: string): Share {
    const { maxBytesOfPerson, maxReceivedOfPerson } = this.#settings
    return findOrAdd(this.#ofPeople, personId, maxBytesOfPerson, maxReceivedOfPerson)
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
