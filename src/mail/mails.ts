import type { Mail } from './mailer.ts'

type IssuedCode = { code: string; email: string }

/** Asks whoever reads a mailbox whether it is theirs. */
export function verificationMail({ code, email }: IssuedCode): Mail {
  return {
    to: email,
    subject: 'Confirm your e-mail address',
    text: `This code confirms the e-mail address of your Hearth account. It is good for 24 hours.\n\n${code}\n\nIf you have no such account, ignore this mail.\n`,
  }
}

/** Carries the code that sets a new password. */
export function resetMail({ code, email }: IssuedCode): Mail {
  return {
    to: email,
    subject: 'Set a new password',
    text: `This code sets a new password for your Hearth account. It is good for one hour.\n\n${code}\n\nIf you have not asked for it, ignore this mail: your password stays as it is.\n`,
  }
}
