import { openMailer } from '../mail/mailer.ts'
import { type Notice, noticeMail } from '../mail/notices.ts'
import type { CommandContext } from './command.ts'
import type { Installation } from './installation.ts'

/** Sends the owner of an account a mail about a change by an operator, if the server has mail. Never throws. */
export async function notifyOwner(
  { config }: Installation,
  { id, username, email }: { id: string; username: string; email: string | null },
  notice: Notice,
  context: CommandContext,
): Promise<void> {
  const { smtpUrl, mailFrom, publicUrl } = config
  if (smtpUrl === undefined || email === null) return
  const mailer = openMailer(smtpUrl, mailFrom, (reason) =>
    context.printError(`The mail to ${username} was not sent: ${reason}.`),
  )
  mailer.send(id, noticeMail(notice, { email, username, server: publicUrl ?? 'Hearth' }))
  await mailer.close()
}
