import type { FastifyInstance } from 'fastify'
import { reissueCode } from '../accounts/codes/operations.ts'
import type { CodePurpose } from '../accounts/codes/queries.ts'
import { createMailQueue, type MailOutcome, type MailQueue } from '../accounts/mails/operations.ts'
import type { MailKey } from '../accounts/mails/queries.ts'
import { findCredentials } from '../accounts/queries.ts'
import { publicUrl } from '../http/server/public-url.ts'
import { type Mail, type Mailer, MailRefused, openMailer, reasonOfMail } from '../mail/mailer.ts'
import { type About, resetMail, verificationMail } from '../mail/mails.ts'
import { isNotice, type Notice, noticeMail } from '../mail/notices.ts'

/** The mails of codes, and the pages of the web client that take their codes. */
const codeMails = {
  verify_email: { mailOf: verificationMail, page: '/app/confirm-email' },
  reset_password: { mailOf: resetMail, page: '/app/new-password' },
}

const messages: Partial<Record<MailOutcome, string>> = {
  postponed: 'a mail could not be sent; it is sent again later',
  refused: 'a mail was refused',
  given_up: 'a mail could not be sent for an hour, and is given up',
  dropped: 'a mail was not sent: too many mails are waiting',
}

/** The queue of the app's mails, if the settings name a mail server. It is looked through while the app listens. */
export function openMailQueue(app: FastifyInstance): MailQueue | undefined {
  const { smtpUrl, mailFrom } = app.config
  if (smtpUrl === undefined) return undefined
  const mailer = openMailer(smtpUrl, mailFrom)
  const queue = createMailQueue(app.db, {
    deliver: (mail) => deliver(app, mailer, mail),
    isFinal: (error) => error instanceof MailRefused,
    onOutcome(outcome, error) {
      app.countMail(outcome)
      const message = messages[outcome]
      if (message) app.log.warn({ reason: error && reasonOfMail(error) }, message)
    },
    onFailure: (err) => app.log.error({ err }, 'the queue of mails cannot be read or written'),
  })
  app.addHook('onListen', async () => queue.start())
  app.addHook('onClose', async () => {
    await queue.stop()
    mailer.close()
  })
  return queue
}

/** Makes a mail and sends it. Its code, if any, is made now, so that it is valid for its full age. */
async function deliver(
  app: FastifyInstance,
  mailer: Mailer,
  { user_id, kind, email }: MailKey,
): Promise<'sent' | 'cancelled'> {
  const account = await findCredentials(app.db, user_id)
  if (!account) return 'cancelled'
  const about = { email, username: account.username, server: publicUrl(app) }
  const mail = isNotice(kind) ? noticeMail(kind, about) : await codeMail(app, user_id, kind, about)
  if (!mail) return 'cancelled'
  await mailer.send(mail)
  return 'sent'
}

/** A mail with a new code; undefined if the code that it was to contain was used or cancelled. */
async function codeMail(
  app: FastifyInstance,
  userId: string,
  kind: string,
  about: About,
): Promise<Mail | undefined> {
  const purpose = kind as CodePurpose
  const issued = await reissueCode(app.db, userId, purpose, about.email)
  const { mailOf, page } = codeMails[purpose]
  const hasPage = about.server !== '' && app.hasRoute({ method: 'GET', url: '/app/*' })
  return issued && mailOf({ ...about, ...issued, page: hasPage ? `${about.server}${page}` : undefined })
}

/** Returns `notifyOwner`: mails to owners about changes of their accounts, within limits of their own. */
export function ownerNotifier(app: FastifyInstance): FastifyInstance['notifyOwner'] {
  async function notify(user_id: string, notice: Notice, email?: string): Promise<void> {
    const { mails, limits } = app
    const limit = notice === 'codes_guessed' ? limits.guessNotices : limits.notices
    const to = mails && (email ?? (await findCredentials(app.db, user_id))?.email)
    if (!to || !(await limit.allows(user_id))) return
    mails.send({ user_id, kind: notice, email: to })
  }
  return (...notice) => {
    notify(...notice).catch((err: unknown) =>
      app.log.error({ err }, 'could not notify the owner of an account'),
    )
  }
}
