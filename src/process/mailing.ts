import type { FastifyInstance } from 'fastify'
import { findCredentials } from '../accounts/queries.ts'
import { publicUrl } from '../http/server/public-url.ts'
import { type Mailer, openMailer } from '../mail/mailer.ts'
import { type Notice, noticeMail } from '../mail/notices.ts'

/** The mailer of the settings, if there is one; it closes with the app. */
export function mailerOf(app: FastifyInstance): Mailer | undefined {
  const { smtpUrl, mailFrom } = app.config
  if (smtpUrl === undefined) return undefined
  const mailer = openMailer(smtpUrl, mailFrom, (reason) => app.log.warn({ reason }, 'a mail was not sent'))
  app.addHook('onClose', () => mailer.close())
  return mailer
}

/** Returns `notifyOwner`: mails to owners about changes of their accounts, within limits of their own. */
export function ownerNotifier(app: FastifyInstance): FastifyInstance['notifyOwner'] {
  async function notify(id: string, notice: Notice, email?: string): Promise<void> {
    const { mailer, limits } = app
    const limit = notice === 'codes_guessed' ? limits.guessNotices : limits.notices
    const account = mailer && (await findCredentials(app.db, id))
    const to = email ?? account?.email
    if (!account || !to || !(await limit.allows(id))) return
    mailer.send(id, noticeMail(notice, { email: to, username: account.username, server: publicUrl(app) }))
  }
  return (...notice) => {
    notify(...notice).catch((err: unknown) =>
      app.log.error({ err }, 'could not notify the owner of an account'),
    )
  }
}
