import type { Mail } from './mailer.ts'
import { type About, hostOf } from './mails.ts'
import { renderParts } from './parts.ts'

/** The kinds of mails to the owner of an account about what protects it. */
export type Notice =
  | 'password_changed'
  | 'password_reset'
  | 'email_changed'
  | 'totp_enabled'
  | 'totp_disabled'
  | 'backup_code_used'
  | 'oidc_linked'
  | 'codes_guessed'

/** Subject; what has happened to "the account"; what to do if it was not the owner. */
type Words = { subject: string; event: string; advice: string }

const newPassword =
  'set a new password at once, with "Forgotten password" where you log in. That ends every login session.'
const askOperator = 'ask the operator of the server for help at once.'

const words: Record<Notice, Words> = {
  password_changed: {
    subject: 'Your password was changed',
    event: 'The password was changed, and every other login session has ended.',
    advice: newPassword,
  },
  password_reset: {
    subject: 'Your password was reset',
    event: 'A new password was set with a code that was sent to this address. Every login session has ended.',
    advice: `${newPassword} Then check who can read your mail.`,
  },
  email_changed: {
    subject: 'Your e-mail address was changed',
    event:
      'Another e-mail address has replaced this one. Codes for a new password are sent there from now on.',
    advice: askOperator,
  },
  totp_enabled: {
    subject: 'Two-factor authentication was enabled',
    event: 'Logins need a code of an authenticator app, or a backup code, from now on.',
    advice: `${newPassword} Then ${askOperator}`,
  },
  totp_disabled: {
    subject: 'Two-factor authentication was disabled',
    event: 'Logins need only the password from now on, and the backup codes are no longer valid.',
    advice: `${newPassword} Then enable two-factor authentication again.`,
  },
  backup_code_used: {
    subject: 'A backup code was used',
    event: 'Somebody has logged in with the password and one of the backup codes, which is used up.',
    advice: `${newPassword} Then disable and enable two-factor authentication, which replaces the backup codes.`,
  },
  oidc_linked: {
    subject: 'A login provider was linked',
    event:
      'Somebody has logged in at the login provider of the server with this e-mail address. The account belongs to that login from now on: its earlier login sessions, the tokens of its bots and its password have ended.',
    advice: askOperator,
  },
  codes_guessed: {
    subject: 'Somebody is guessing your two-factor code',
    event:
      'Somebody who knows the password, or has a login session, has entered several wrong codes. Further ones are accepted only every few minutes.',
    advice: newPassword,
  },
}

/** Whether a text names a kind of notice. */
export function isNotice(kind: string): kind is Notice {
  return Object.hasOwn(words, kind)
}

/** A mail to the owner of an account, about what protects it. */
export function noticeMail(notice: Notice, { email, username, server }: About): Mail {
  const { subject, event, advice } = words[notice]
  return {
    to: email,
    subject: `${subject} (${hostOf(server)})`,
    ...renderParts([
      `This is about your account "${username}" on ${server}.`,
      event,
      'If it was you, there is nothing to do.',
      `If it was not you: ${advice}`,
    ]),
  }
}
