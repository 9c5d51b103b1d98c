import { randomBytes } from 'node:crypto'
import { findUnprovenEmail, issueCode, verifyEmail } from '../accounts/code-operations.ts'
import { register } from '../accounts/operations.ts'
import { resetPassword } from '../accounts/password-operations.ts'
import { type CredentialsRow, findCredentials } from '../accounts/queries.ts'
import { Register, ResetPassword } from '../accounts/schemas.ts'
import { deleteSessions } from '../accounts/session-queries.ts'
import { createBot } from '../bots/operations.ts'
import { CreateBot } from '../bots/schemas.ts'
import type { Db } from '../db/client.ts'
import { findUserByRef } from '../users/operations.ts'
import { CliError, type Command, type CommandContext, UsageError } from './command.ts'
import { checkFields } from './fields.ts'
import { withInstallation } from './installation.ts'

const passwordBytes = 15

export const createUser: Command = {
  name: 'create-user',
  summary: 'makes an account; without --password one is made up and shown',
  parameters: ['email', 'username'],
  options: {
    name: { type: 'string', shown: 'name', summary: 'the name others see, else the username' },
    password: { type: 'string', shown: 'password', summary: 'at least 8 characters' },
    verified: { type: 'boolean', summary: 'the e-mail address counts as proven' },
  },
  async run({ parameters: [email, username], options }, context) {
    const password = options.password ?? newPassword()
    const fields = await checkFields(Register, { email, username, password, name: options.name })
    await withInstallation(context, async ({ db }) => {
      const { user } = await register(db, fields, { client: 'npm run hearth', address: '' })
      // Nobody has the token of the session that registering opens.
      await deleteSessions(db, user.id)
      if (options.verified)
        await verifyEmail(db, (await issueCode(db, user.id, 'verify_email', user.email)).code)
      context.print(`User ${user.username} has the id ${user.id}.`)
      if (options.password === undefined) context.print(`Password: ${password}`)
    })
  },
}

export const resetPasswordCommand: Command = {
  name: 'reset-password',
  summary: 'hands out a code that POST /auth/reset-password takes within an hour, or sets a password',
  parameters: ['user'],
  options: {
    password: {
      type: 'string',
      shown: 'password',
      summary: 'sets this one now and ends every login session',
    },
  },
  async run({ parameters: [ref], options }, context) {
    const { password } = options
    if (typeof password === 'string') await checkFields(ResetPassword, { code: '', password })
    await withInstallation(context, async ({ db, publish }) => {
      const person = await reachPerson(db, ref!)
      if (typeof password !== 'string') return handOutResetCode(db, person, context)
      const { code } = await issueCode(db, person.id, 'reset_password', person.email ?? '')
      await publish(await resetPassword(db, { code, password }))
      context.print(`The password of ${person.username} is set; every login session has ended.`)
    })
  },
}

export const issueCodeCommand: Command = {
  name: 'issue-code',
  summary:
    'hands out the code that a mail would hold, for verify-email or reset-password; the one before it no longer works',
  parameters: ['purpose', 'user'],
  options: {},
  async run({ parameters: [purpose, ref] }, context) {
    if (purpose !== 'verify-email' && purpose !== 'reset-password') {
      throw new UsageError(`<purpose> is "${purpose}" and not verify-email or reset-password`)
    }
    await withInstallation(context, async ({ db }) => {
      const person = await reachPerson(db, ref!)
      if (purpose === 'reset-password') return handOutResetCode(db, person, context)
      const email = await findUnprovenEmail(db, person)
      if (email === undefined)
        throw new CliError(`The e-mail address of ${person.username} is proven already.`)
      const { code } = await issueCode(db, person.id, 'verify_email', email)
      context.print(`Code that proves ${email}, of ${person.username}, good for a day: ${code}`)
    })
  },
}

export const makeBot: Command = {
  name: 'make-bot',
  summary: 'makes a bot of a user and shows its token, this once',
  parameters: ['owner', 'username'],
  options: { name: { type: 'string', shown: 'name', summary: 'the name others see, else the username' } },
  async run({ parameters: [ref, username], options }, context) {
    const fields = await checkFields(CreateBot, { username, name: options.name ?? username })
    await withInstallation(context, async ({ db }) => {
      const owner = await reachPerson(db, ref!)
      const { user, token } = await createBot(db, owner, fields)
      context.print(`Bot ${user.username} of ${owner.username} has the id ${user.id}.`)
      context.print(`Token: ${token}`)
    })
  },
}

async function handOutResetCode(db: Db, person: CredentialsRow, context: CommandContext): Promise<void> {
  const { code } = await issueCode(db, person.id, 'reset_password', person.email ?? '')
  context.print(`Code for a new password of ${person.username}, good for an hour: ${code}`)
}

/** A person by id or username. Throws `CliError` for a bot, and when there is none. */
async function reachPerson(db: Db, ref: string): Promise<CredentialsRow> {
  const found = await findUserByRef(db, ref)
  const person = found && (await findCredentials(db, found.id))
  if (!person) throw new CliError(`There is no user "${ref}": give a username or an id.`)
  if (person.bot) throw new CliError(`${person.username} is a bot.`)
  return person
}

function newPassword(): string {
  return randomBytes(passwordBytes).toString('base64url')
}
