import type { Mail } from './mailer.ts'
import { type Part, renderParts } from './parts.ts'

/** The account that a mail is about, the address that it is sent to, and that of the server. */
export type About = { email: string; username: string; server: string }

/** A code and its short form; `page`: the address of the web client's page that takes it, if there is one. */
type CodeMail = About & { code: string; shortCode: string; page: string | undefined }

/** A mail with the code that verifies an e-mail address. */
export function verificationMail({ email, username, server, ...code }: CodeMail): Mail {
  return {
    to: email,
    subject: `Confirm your e-mail address for ${hostOf(server)}`,
    ...renderParts([
      `The account "${username}" on ${server} was given this e-mail address. Confirm it within 24 hours.`,
      ...codeParts(code, 'Confirm address'),
      'If the account is not yours, ignore this mail: the address is not confirmed then.',
    ]),
  }
}

/** A mail with the code that sets a new password. */
export function resetMail({ email, username, server, ...code }: CodeMail): Mail {
  return {
    to: email,
    subject: `Set a new password for ${hostOf(server)}`,
    ...renderParts([
      `Somebody asked for a new password for your account "${username}" on ${server}. Set it within one hour.`,
      ...codeParts(code, 'Set a new password'),
      'If you have not asked for it, ignore this mail: your password stays as it is.',
    ]),
  }
}

/** The code is in the fragment, which a browser sends to no server. */
function codeParts({ code, shortCode, page }: Omit<CodeMail, keyof About>, label: string): Part[] {
  const typed: Part[] = [{ code: shortCode }, 'Give it to nobody who asks for it.']
  if (page === undefined) return ['Enter this code where you use the account:', ...typed]
  return [{ link: `${page}#code=${code}`, label }, 'Or enter this code where you use the account:', ...typed]
}

/** The host of an address, by which a subject names the server. */
export function hostOf(server: string): string {
  return URL.canParse(server) ? new URL(server).host : 'Hearth'
}
