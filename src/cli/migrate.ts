import { listPendingMigrations, migrateToLatest } from '../database/migrations/migrate.ts'
import type { Command } from './command.ts'
import { withRawInstallation } from './installation.ts'

export const migrate: Command = {
  name: 'migrate',
  summary: 'Apply pending migrations, as every start of the server does',
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
