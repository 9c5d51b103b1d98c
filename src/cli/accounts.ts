import { randomBytes } from 'node:crypto'
import { findUnverifiedEmail, issueCode } from '../accounts/codes/operations.ts'
import type { CodePurpose } from '../accounts/codes/queries.ts'
import { register } from '../accounts/operations.ts'
import { isGuessablePassword, type PasswordNames } from '../accounts/passwords/guessing-operations.ts'
import { resetPassword } from '../accounts/passwords/operations.ts'
import { type CredentialsRow, findCredentials, updateCredentials } from '../accounts/queries.ts'
import { Register, ResetPassword } from '../accounts/schemas.ts'
import { deleteSessions } from '../accounts/sessions/queries.ts'
import { administerAccount } from '../administration/accounts/operations.ts'
import { writeServerAudit } from '../administration/audit-log/operations.ts'
import { createBot } from '../bots/operations.ts'
import { CreateBot } from '../bots/schemas.ts'
import type { Config } from '../config.ts'
import type { Db } from '../database/client.ts'
import { CliError, type Command, type CommandContext, UsageError } from './command.ts'
import { checkFields } from './fields.ts'
import { findAccountByRef } from './find-account.ts'
import { type Installation, withInstallation } from './installation.ts'
import { notifyOwner } from './notices.ts'

const passwordBytes = 15
const noDevice = { client: 'npm run hearth', address: '' }

export const createUser: Command = {
  name: 'create-user',
  summary: 'Create an account; without --password, generate a password and print it',
  parameters: ['email', 'username'],
  options: {
    name: { type: 'string', shown: 'name', summary: 'display name, by default the username' },
    password: { type: 'string', shown: 'password', summary: 'at least 8 characters' },
    verified: { type: 'boolean', summary: 'mark the e-mail address as verified' },
  },
  async run({ parameters: [email, username], options }, context) {
    const password = options.password ?? newPassword()
    const fields = await checkFields(Register, { email, username, password, name: options.name })
    await withInstallation(context, async ({ db, config }) => {
      const server = config.publicUrl ?? ''
      await refuseTyped(fields.password, { ...fields, server })
      const rules = { mode: 'open' as const, server }
      const { answer } = await register(db, fields, noDevice, rules, async (trx, id) => {
        // The token of the session that `register` creates is not used.
        await deleteSessions(trx, id)
        if (options.verified) await updateCredentials(trx, id, { email_verified: true })
        await audit(trx, 'user_created', id)
      })
      const { user } = answer
      context.print(`User ${user.username} has the id ${user.id}.`)
      if (options.password === undefined) context.print(`Password: ${password}`)
    })
  },
}

export const resetPasswordCommand: Command = {
  name: 'reset-password',
  summary: 'Print a code for POST /auth/reset-password, valid for an hour, or set a password',
  parameters: ['user'],
  options: {
    password: {
      type: 'string',
      shown: 'password',
      summary: 'set this password, and end every login session and the tokens of the bots',
    },
    'disable-totp': { type: 'boolean', summary: 'disable two-factor authentication as well' },
  },
  async run({ parameters: [ref], options }, context) {
    const { password } = options
    if (typeof password === 'string') await checkFields(ResetPassword, { code: '', password })
    await withInstallation(context, async (installation) => {
      const { db, config } = installation
      const person = await requirePerson(db, ref!)
      const server = config.publicUrl ?? ''
      if (typeof password === 'string') await refuseTyped(password, { ...person, server })
      if (options['disable-totp']) {
        await administerAccount(db, null, person.id, { mfa_enabled: false })
        if (person.mfa_enabled) await notifyOwner(installation, person, 'totp_disabled', context)
      }
      if (typeof password !== 'string') return printResetCode(installation, person, context)
      const { code } = await issueCode(db, person.id, 'reset_password', person.email ?? '')
      await resetPassword(db, { code, password }, server, (trx, id) => audit(trx, 'password_reset', id))
      await notifyOwner(installation, person, 'password_changed', context)
      context.print(`The password of ${person.username} is set; every login session has ended.`)
    })
  },
}

export const issueCodeCommand: Command = {
  name: 'issue-code',
  summary: 'Print the code that a mail would contain; purpose: verify-email or reset-password',
  parameters: ['purpose', 'user'],
  options: {},
  async run({ parameters: [purpose, ref] }, context) {
    if (purpose !== 'verify-email' && purpose !== 'reset-password') {
      throw new UsageError(`<purpose> is "${purpose}" and not verify-email or reset-password`)
    }
    await withInstallation(context, async (installation) => {
      const { db, config } = installation
      const person = await requirePerson(db, ref!)
      if (purpose === 'reset-password') return printResetCode(installation, person, context)
      const email = await findUnverifiedEmail(db, person)
      if (email === undefined)
        throw new CliError(`The e-mail address of ${person.username} is proven already.`)
      const issued = await issueAudited(db, person.id, 'verify_email', email)
      context.print(`Code that proves ${email}, of ${person.username}, good for a day: ${issued.code}`)
      printShort(config, issued, '/app/confirm-email', context)
    })
  },
}

export const makeBot: Command = {
  name: 'make-bot',
  summary: 'Create a bot and print its token, which is shown only once',
  parameters: ['owner', 'username'],
  options: { name: { type: 'string', shown: 'name', summary: 'display name, by default the username' } },
  async run({ parameters: [ref, username], options }, context) {
    const fields = await checkFields(CreateBot, { username, name: options.name ?? username })
    await withInstallation(context, async ({ db }) => {
      const owner = await requirePerson(db, ref!)
      if (owner.disabled) throw new CliError(`${owner.username} is disabled.`)
      const { user, token } = await createBot(db, owner, fields, (trx, id) => audit(trx, 'bot_created', id))
      context.print(`Bot ${user.username} of ${owner.username} has the id ${user.id}.`)
      context.print(`Token: ${token}`)
    })
  },
}

/** Throws `CliError` for a password that is easily guessed. */
async function refuseTyped(password: string, names: PasswordNames): Promise<void> {
  if (!(await isGuessablePassword(password, names))) return
  throw new CliError('The password cannot be used: it is one of the first that others would try.')
}

async function printResetCode(
  { db, config }: Installation,
  person: CredentialsRow,
  context: CommandContext,
): Promise<void> {
  const issued = await issueAudited(db, person.id, 'reset_password', person.email ?? '')
  context.print(`Code for a new password of ${person.username}, good for an hour: ${issued.code}`)
  printShort(config, issued, '/app/new-password', context)
}

/** Prints the short form of a code, and the address of the page that takes the code where the server has one. */
function printShort(
  { publicUrl, web }: Config,
  { code, shortCode }: { code: string; shortCode: string },
  page: string,
  context: CommandContext,
): void {
  context.print(`To type it: ${shortCode}`)
  if (publicUrl !== undefined && web) context.print(`As a link: ${publicUrl}${page}#code=${code}`)
}

function issueAudited(db: Db, userId: string, purpose: CodePurpose, email: string) {
  return db.transaction().execute(async (trx) => {
    await audit(trx, 'code_issued', userId)
    return issueCode(trx, userId, purpose, email)
  })
}

function audit(trx: Db, action: string, userId: string): Promise<void> {
  return writeServerAudit(trx, null, action, { type: 'user', id: userId })
}

/** A person by id, username or e-mail address. Throws `CliError` for a bot, and when there is none. */
async function requirePerson(db: Db, ref: string): Promise<CredentialsRow> {
  const found = await findAccountByRef(db, ref)
  const person = found && (await findCredentials(db, found.id))
  if (!person) throw new CliError(`There is no user "${ref}": give a username, an id or an e-mail address.`)
  if (person.bot) throw new CliError(`${person.username} is a bot.`)
  return person
}

function newPassword(): string {
  return randomBytes(passwordBytes).toString('base64url')
}
