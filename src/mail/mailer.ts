import { setTimeout as pause } from 'node:timers/promises'
import { createFairQueue } from '../concurrency/fair-queue.ts'

export type Mail = { to: string; subject: string; text: string }

/** Sends mail in the background, so that the response time does not reveal whether a mail was sent. */
export type Mailer = {
  send(accountId: string, mail: Mail): void
  /** Settles when all mails have been sent or have failed, or after two seconds. */
  close(): Promise<void>
}

/** The most mails in flight, one of each account. */
const sentAtOnce = 4
/** Mails queued; past that, those of the account with the most are dropped. */
const maxWaiting = 1_000
/** How long a stop waits for mails on their way: it has to end within 10 s. */
const closeWithinMs = 2_000
/** How long a mail server may take for each step of a mail. */
const defaultTimeoutMs = 10_000
/** The same for a check of the mail server. */
const verifyTimeoutMs = 5_000
/** What the library drops from an address, even from a quoted one: the mail would reach another mailbox. */
const droppedFromAddress = /[<>]/

/**
 * A mailer over SMTP; `onFailure` receives the reason of each mail that could not be sent, without address or text. The
 * library is loaded at the first mail.
 */
export function openMailer(
  smtpUrl: string,
  from: string,
  onFailure: (reason: string) => void,
  timeoutMs = defaultTimeoutMs,
): Mailer {
  const url = withTimeouts(smtpUrl, timeoutMs)
  const runInTurn = createFairQueue({ atOnce: sentAtOnce, waiting: maxWaiting })
  const pending = new Set<Promise<void>>()
  let transport: Promise<{ sendMail(mail: object): Promise<unknown>; close(): void }> | undefined

  async function deliver({ to, subject, text }: Mail): Promise<void> {
    try {
      transport ??= import('nodemailer').then((nodemailer) => nodemailer.createTransport(url))
      // As an object the address is taken as it is, never parsed into several.
      await (await transport).sendMail({ from, to: { name: '', address: to }, subject, text })
    } catch (error) {
      onFailure((error as { code?: string }).code ?? 'unknown')
    }
  }

  return {
    send(accountId, mail) {
      if (droppedFromAddress.test(mail.to)) return onFailure('the address contains < or >')
      const sending = runInTurn(accountId, () => deliver(mail))
        .catch(() => onFailure('too many mails are waiting'))
        .finally(() => pending.delete(sending))
      pending.add(sending)
    },
    async close() {
      await Promise.race([Promise.all(pending), pause(closeWithinMs, undefined, { ref: false })])
      ;(await transport)?.close()
    },
  }
}

/** Connects to the mail server and logs in, without sending anything. Throws why that failed. */
export async function tryMailServer(smtpUrl: string): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(withTimeouts(smtpUrl, verifyTimeoutMs))
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

/** Timeouts that the URL names itself stay. */
function withTimeouts(smtpUrl: string, ms: number): string {
  const url = new URL(smtpUrl)
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout']) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(ms))
  }
  return url.href
}
