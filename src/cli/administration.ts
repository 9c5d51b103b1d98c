import { administerAccount, deleteAccount, endSessionsOf } from '../administration/accounts/operations.ts'
import { type AdministeredUserRow, findAccount, listAccounts } from '../administration/accounts/queries.ts'
import type { AdministerUser } from '../administration/schemas.ts'
import { serializeAdministeredUser } from '../administration/serializers.ts'
import type { Db } from '../database/client.ts'
import { readPages } from '../database/pages.ts'
import { unknownId } from '../ids.ts'
import { eraseDiscarded } from '../storage/discard.ts'
import { CliError, type Command, count, printAnswer, withJson } from './command.ts'
import { findAccountByRef } from './find-account.ts'
import { withInstallation } from './installation.ts'
import { notifyOwner } from './notices.ts'

const accountsAtOnce = 100

export const listUsers: Command = {
  name: 'list-users',
  summary: 'List every account: id, username, e-mail address, state',
  parameters: [],
  options: withJson(),
  async run({ options }, context) {
    await withInstallation(context, async ({ db }) => {
      const listed = []
      for await (const row of listAllAccounts(db)) listed.push(row)
      const lines = listed.map((row) => [row.id, row.username, row.email ?? '-', stateOf(row)].join('  '))
      printAnswer(context, options, {
        lines: lines.length > 0 ? lines : ['There are no users.'],
        json: listed.map(serializeAdministeredUser),
      })
    })
  },
}

export const showUser: Command = {
  name: 'show-user',
  summary: 'Show an account: state, times, storage',
  parameters: ['user'],
  options: withJson(),
  async run({ parameters: [ref], options }, context) {
    await withInstallation(context, async ({ db }) => {
      const row = await reachAccount(db, ref!)
      const { user, email, created_at, last_seen_at, storage_bytes } = serializeAdministeredUser(row)
      const fields = {
        id: user.id,
        username: user.username,
        name: user.name,
        email: email === '' ? '-' : `${email} (${user.email_verified ? 'verified' : 'not verified'})`,
        state: stateOf(row),
        'two-factor': user.mfa_enabled ? 'on' : 'off',
        created: created_at,
        'last seen': last_seen_at ?? '-',
        attachments: `${storage_bytes} bytes`,
      }
      const lines = Object.entries(fields).map(([name, value]) => `${name.padEnd(12)}${value}`)
      printAnswer(context, options, { lines, json: serializeAdministeredUser(row) })
    })
  },
}

/** A command that changes the state of an account. */
function changeOf(name: string, summary: string, wanted: AdministerUser, done: string): Command {
  return {
    name,
    summary,
    parameters: ['user'],
    options: withJson(),
    async run({ parameters: [ref], options }, context) {
      await withInstallation(context, async (installation) => {
        const { db } = installation
        const account = await reachAccount(db, ref!)
        const { id, username, bot, mfa_enabled } = account
        if (wanted.admin && bot) throw new CliError(`${username} is a bot.`)
        const { answer } = await administerAccount(db, null, id, wanted)
        if (mfa_enabled && wanted.mfa_enabled === false)
          await notifyOwner(installation, account, 'totp_disabled', context)
        printAnswer(context, options, { lines: [`${username} ${done}.`], json: answer })
      })
    },
  }
}

export const disableUser = changeOf(
  'disable-user',
  'Disable an account: it has no login session and gets none, and the tokens of its bots end',
  { disabled: true },
  'is disabled; every login session has ended',
)
export const enableUser = changeOf(
  'enable-user',
  'Enable an account that was disabled',
  { disabled: false },
  'is enabled',
)
export const disableTotpCommand = changeOf(
  'disable-totp',
  'Disable the two-factor authentication of an account',
  { mfa_enabled: false },
  'has no two-factor authentication',
)
export const makeAdmin = changeOf(
  'make-admin',
  'Make a user an admin of the server',
  { admin: true },
  'is an admin',
)
export const unmakeAdmin = changeOf(
  'unmake-admin',
  'Make an admin a user like any other',
  { admin: false },
  'is no admin',
)

export const endSessionsCommand: Command = {
  name: 'end-sessions',
  summary: 'End every login session of an account',
  parameters: ['user'],
  options: withJson(),
  async run({ parameters: [ref], options }, context) {
    await withInstallation(context, async ({ db }) => {
      const { id, username } = await reachAccount(db, ref!)
      const { answer } = await endSessionsOf(db, null, id)
      const lines = [`Ended ${count(answer.ended, 'login session')} of ${username}.`]
      printAnswer(context, options, { lines, json: answer })
    })
  },
}

export const deleteUser: Command = {
  name: 'delete-user',
  summary: 'Delete an account and its bots, permanently; messages stay, under a deleted user',
  parameters: ['user'],
  options: withJson({ yes: { type: 'boolean', summary: 'required, because the deletion cannot be undone' } }),
  async run({ parameters: [ref], options }, context) {
    await withInstallation(context, async ({ db, store }) => {
      const { id, username } = await reachAccount(db, ref!)
      if (!options.yes) throw new CliError(`This would delete ${username} for good: say so with --yes.`)
      const { answer } = await deleteAccount(db, null, id)
      while ((await eraseDiscarded(db, store)) > 0);
      printAnswer(context, options, { lines: [`Deleted ${username}.`], json: answer })
    })
  },
}

function listAllAccounts(db: Db): AsyncGenerator<AdministeredUserRow> {
  return readPages<AdministeredUserRow>(accountsAtOnce, (last, limit) =>
    listAccounts(db, { q: undefined, after: last?.id ?? unknownId, limit }),
  )
}

function stateOf({ bot, admin, disabled }: AdministeredUserRow): string {
  const words = [bot && 'bot', admin && 'admin', disabled && 'disabled'].filter(Boolean)
  return words.length > 0 ? words.join(', ') : 'user'
}

/** An account, a bot likewise, by id or username. Throws `CliError` when there is none. */
async function reachAccount(db: Db, ref: string): Promise<AdministeredUserRow> {
  const found = await findAccountByRef(db, ref)
  const account = found && (await findAccount(db, found.id))
  if (!account) throw new CliError(`There is no user "${ref}": "npm run hearth -- list-users" lists them.`)
  return account
}
