/**
 * Why an upgrade is refused: many failed logins of the address, many sockets that are not logged in, or many that have
 * ended before a login. `watched`: a list of op 6 that is ignored, as the lists of the person have too many ids.
 */
export type Refusal = 'failed_logins' | 'not_logged_in' | 'ended_early' | 'watched'

/** Counts what the gateway refuses. */
export class Refusals {
  readonly counts = new Map<Refusal, number>([
    ['failed_logins', 0],
    ['not_logged_in', 0],
    ['ended_early', 0],
    ['watched', 0],
  ])

  note(refusal: Refusal): void {
    this.counts.set(refusal, this.counts.get(refusal)! + 1)
  }
}
