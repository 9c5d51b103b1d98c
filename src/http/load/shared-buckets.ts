import type { Limit, Taken } from './token-buckets.ts'

/** Tokens of one bucket of a limit. With a `count` of 0 it is only read, with less it gets tokens back. */
export type Take = { name: string; limit: Limit; key: string; count: number }

/** Token buckets that all processes of an installation share. */
export type SharedBuckets = {
  /** Whether they can be used at the moment. */
  readonly isAvailable: boolean
  /** How often they became unavailable so far. */
  readonly outages: number
  /** How often they could not count so far. */
  readonly missed: number
  /**
   * Takes tokens from each bucket up to the first that refuses, whose answer is the last one. Undefined if the buckets
   * are unavailable: then the process counts by itself. Never rejects.
   */
  take(takes: readonly Take[]): Promise<Taken[] | undefined>
  close(): Promise<void>
}

/** `began` is called at the beginning of each outage, and `ended` at its end. */
export type SharedBucketsListener = { began(reason: unknown): void; ended(): void }
