import type { Mail } from './mailer.ts'

/** A code, the address it is sent to, the account it is for, and the address of the server. */
type CodeMail = { code: string; email: string; username: string; server: string }

/** A mail with the code that verifies an e-mail address. */
export function verificationMail({ code, email, username, server }: CodeMail): Mail {
  return {
    to: email,
    subject: `Confirm your e-mail address for ${hostOf(server)}`,
    text: `The account "${username}" on ${server} was given this e-mail address. This code confirms it, within 24 hours:

${code}

Enter it where you use this account, and nowhere else. A program sends it to POST ${server}/auth/verify-email.

If the account is not yours, ignore this mail: without the code the address is not confirmed.
`,
  }
}

/** A mail with the code that sets a new password. */
export function resetMail({ code, email, username, server }: CodeMail): Mail {
  return {
    to: email,
    subject: `Set a new password for ${hostOf(server)}`,
    text: `Somebody asked for a new password for your account "${username}" on ${server}. This code sets it, within one hour:

${code}

Enter it where you use this account, and nowhere else. A program sends it to POST ${server}/auth/reset-password.

If you have not asked for it, ignore this mail: your password stays as it is.
`,
  }
}

function hostOf(server: string): string {
  return URL.canParse(server) ? new URL(server).host : 'Hearth'
}
