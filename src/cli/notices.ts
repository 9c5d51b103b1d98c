import { insertMail } from '../accounts/mails/queries.ts'
import { MailRefused, openMailer, reasonOfMail } from '../mail/mailer.ts'
import { type Notice, noticeMail } from '../mail/notices.ts'
import type { CommandContext } from './command.ts'
import type { Installation } from './installation.ts'

/**
 * Sends the owner of an account a mail about a change by an operator, if the server has mail. If that fails, a server that
 * runs, or starts within an hour, sends it. Never throws.
 */
export async function notifyOwner(
  { config, db }: Installation,
  { id, username, email }: { id: string; username: string; email: string | null },
  notice: Notice,
  context: CommandContext,
): Promise<void> {
  const { smtpUrl, mailFrom, publicUrl } = config
  if (smtpUrl === undefined || email === null) return
  const mailer = openMailer(smtpUrl, mailFrom)
  try {
    await mailer.send(noticeMail(notice, { email, username, server: publicUrl ?? 'Hearth' }))
  } catch (error) {
    const isRefused = error instanceof MailRefused
    const waits =
      !isRefused && (await insertMail(db, { user_id: id, kind: notice, email }, 0).catch(() => false))
    const then = waits ? ' The server sends it again for an hour.' : ''
    context.printError(`The mail to ${username} was not sent: ${reasonOfMail(error)}.${then}`)
  } finally {
    mailer.close()
  }
}
