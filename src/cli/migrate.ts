import { listPendingMigrations, migrateToLatest } from '../db/migrate.ts'
import type { Command } from './command.ts'
import { withRawInstallation } from './installation.ts'

export const migrate: Command = {
  name: 'migrate',
  summary: 'brings the database to the form of this version, as every start of the server does',
  parameters: [],
  options: {},
  async run(_args, context) {
    await withRawInstallation(context, async ({ db }) => {
      const pending = await listPendingMigrations(db)
      await migrateToLatest(db)
      for (const name of pending) context.print(`Migrated to ${name}.`)
      if (pending.length === 0) context.print('The database is in the form of this version already.')
    })
  },
}
