/** `html` shows the same as `text`. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** Sends mails, each once. */
export type Mailer = {
  /** Throws `MailRefused`, or what kept the mail from being sent for now. */
  send(mail: Mail): Promise<void>
  close(): void
}

/** A mail that would be refused again. The message says why, without address or text. */
export class MailRefused extends Error {}

/** How long a mail server may take for each step of a mail. */
const defaultTimeoutMs = 10_000
/** The same for a check of the mail server. */
const verifyTimeoutMs = 5_000
/** What the library drops from an address, even from a quoted one: the mail would reach another mailbox. */
const droppedFromAddress = /[<>]/
/** No vacation responder answers such a mail (RFC 3834). */
const headers = { 'Auto-Submitted': 'auto-generated' }

/** A mailer over SMTP. The library is loaded at the first mail. */
export function openMailer(smtpUrl: string, from: string, timeoutMs = defaultTimeoutMs): Mailer {
  const url = withTimeouts(smtpUrl, timeoutMs)
  let transport: { sendMail(mail: object): Promise<unknown>; close(): void } | undefined

  return {
    async send({ to, ...mail }) {
      if (droppedFromAddress.test(to)) throw new MailRefused('the address contains < or >')
      const { createTransport } = await import('nodemailer')
      transport ??= createTransport(url)
      try {
        // As an object the address is taken as it is, never parsed into several.
        await transport.sendMail({ from, to: { name: '', address: to }, headers, ...mail })
      } catch (error) {
        throw isFinal(error) ? new MailRefused(reasonOfMail(error)) : error
      }
    },
    close() {
      transport?.close()
    },
  }
}

type SmtpError = { code?: string; responseCode?: number; message: string }

/** Whether the mail server refuses this address or this mail for good, and not only for now. */
function isFinal(error: unknown): boolean {
  const { code = '', responseCode = 0 } = error as SmtpError
  return responseCode >= 500 && ['EENVELOPE', 'EMESSAGE'].includes(code)
}

/** Why a mail was not sent, without address or text. */
export function reasonOfMail(error: unknown): string {
  if (error instanceof MailRefused) return error.message
  const { code = 'unknown', responseCode, message } = error as SmtpError
  // Of the connection alone, as that it was refused, or that its certificate has expired.
  if (code === 'ESOCKET' || code === 'EDNS') return message
  return responseCode === undefined ? code : `${code} ${responseCode}`
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
