import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { repeat } from '../../concurrency/repeat.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import {
  deleteMail,
  insertMail,
  type LeasedMail,
  leaseDueMails,
  leaseNewMail,
  type MailKey,
  postponeMail,
} from './queries.ts'

/** The most mails that a process sends at once, one of each account. */
const sentAtOnce = 4
/** Mails that wait for their turn in the process; further ones are found in the table. */
const maxInMemory = 1_000
const lookEveryMs = 5_000
/** How long a stop waits for mails on their way: it has to end within 10 s. */
const stopWithinMs = 2_000
const firstPauseMs = 5_000
const maxPauseMs = 300_000

/** The end of an attempt to send a mail: `cancelled` if its reason is gone, `dropped` if too many mails wait. */
export type MailOutcome = 'sent' | 'cancelled' | 'refused' | 'postponed' | 'given_up' | 'dropped'

type Parts = {
  /** Makes a mail and sends it. */
  deliver(mail: MailKey): Promise<'sent' | 'cancelled'>
  /** Whether a mail that has failed so would fail again. */
  isFinal(error: unknown): boolean
  /** Called with what came of each attempt. */
  onOutcome(outcome: MailOutcome, error?: unknown): void
  /** Called with the first of consecutive failures of the database. */
  onFailure(error: unknown): void
}

/** Sends mails in the background, so that the response time does not reveal whether a mail was sent. */
export type MailQueue = {
  /** Sends a mail now, and again for an hour while that fails, also after a restart. */
  send(mail: MailKey): void
  /** Sends the mails that are due now. */
  sendDue(): Promise<void>
  /** Sends mails when they are due, from now on. */
  start(): void
  /** Settles when no mail is on its way any more, or after two seconds; others are sent after the next start. */
  stop(): Promise<void>
}

/** Sends the mails of the table `mails`, those of this process first (docs/operations.md#mail). */
export function createMailQueue(db: Db, { deliver, isFinal, onOutcome, onFailure }: Parts): MailQueue {
  const runInTurn = createFairQueue({ atOnce: sentAtOnce, waiting: maxInMemory })
  const pending = new Set<Promise<void>>()
  let isStopped = false

  async function attempt(mail: LeasedMail): Promise<void> {
    let outcome: MailOutcome
    let failure: unknown
    try {
      outcome = await deliver(mail)
    } catch (error) {
      failure = error
      if (isFinal(error)) outcome = 'refused'
      else outcome = (await postponeMail(db, mail, pauseMs(mail))) ? 'postponed' : 'given_up'
    }
    if (outcome !== 'postponed') await deleteMail(db, mail)
    onOutcome(outcome, failure)
  }

  async function sendNew(mail: MailKey): Promise<void> {
    if (!(await insertMail(db, mail))) return onOutcome('dropped')
    await runInTurn(mail.user_id, async () => {
      const leased = await leaseNewMail(db, mail)
      if (leased) await attempt(leased)
    })
  }

  async function sendDue(): Promise<void> {
    let leased: LeasedMail[]
    do {
      leased = await leaseDueMails(db, sentAtOnce)
      await Promise.all(leased.map(attempt))
    } while (leased.length === sentAtOnce)
  }

  let stopRepeating: (() => Promise<void>) | undefined
  return {
    send(mail) {
      const sending = sendNew(mail)
        .catch((error: unknown) => {
          // A mail for which there is no place in memory is found in the table later.
          if (!isStopped && !(error instanceof ApiError)) onFailure(error)
        })
        .finally(() => pending.delete(sending))
      pending.add(sending)
    },
    sendDue,
    start() {
      stopRepeating = repeat({
        async run() {
          await sendDue()
          return lookEveryMs
        },
        pauseAfterFailureMs: lookEveryMs,
        report: onFailure,
      })
    },
    async stop() {
      isStopped = true
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, stopWithinMs)
      await Promise.race([Promise.all([stopRepeating?.(), ...pending]), timeout.promise])
      clearTimeout(timer)
    },
  }
}

/** The pauses between attempts double, up to five minutes. */
function pauseMs({ attempts }: LeasedMail): number {
  return Math.min(firstPauseMs * 2 ** (attempts - 1), maxPauseMs)
}
