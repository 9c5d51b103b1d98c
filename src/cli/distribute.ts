import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import {
  countStoreRows,
  type Obstacle,
  planDistribution,
  type Step,
} from '../database/distribution/distribute.ts'
import { listPendingMigrations } from '../database/migrations/migrate.ts'
import { excludeProcesses } from '../database/node-number.ts'
import { CliError, type Command, count, printAnswer, withJson } from './command.ts'
import { withRawInstallation } from './installation.ts'

export const distribute: Command = {
  name: 'distribute',
  summary: 'Distribute messages over the workers of Citus; no server may run meanwhile',
  parameters: [],
  options: withJson({ 'dry-run': { type: 'boolean', summary: 'only say what would be done' } }),
  async run({ options }, context) {
    const isDryRun = options['dry-run'] === true
    await withRawInstallation(context, async ({ db }) => {
      const steps = await planSteps(db)
      const print = options.json ? () => {} : context.print
      const rows = isDryRun ? await countStoreRows(db) : await runSteps(db, steps, print)
      const total = [...rows.values()].reduce((sum, each) => sum + each, 0)
      const lines = isDryRun
        ? [...steps.map(numbered), `Nothing was done: ${count(total, 'row')} would be distributed.`]
        : [`The message store is distributed: ${count(total, 'row')} in ${count(rows.size, 'table')}.`]
      printAnswer(context, options, {
        lines,
        json: {
          done: !isDryRun,
          steps: steps.map(({ sentence }) => sentence),
          rows: Object.fromEntries(rows),
        },
      })
    })
  },
}

/** Throws `CliError` where the store cannot be distributed. */
async function planSteps(db: Db): Promise<Step[]> {
  const pending = await listPendingMigrations(db)
  if (pending.length > 0) {
    throw new CliError(
      `${count(pending.length, 'migration')} pending: run "npm run hearth -- migrate" first.`,
    )
  }
  const plan = await planDistribution(db)
  if ('obstacle' in plan) throw new CliError(sentenceOf(plan.obstacle))
  return plan.steps
}

function sentenceOf(obstacle: Obstacle): string {
  switch (obstacle.reason) {
    case 'no_citus':
      return 'The database has no extension "citus": create it on the coordinator and on all workers first.'
    case 'no_workers':
      return 'Citus has no workers: add them with "select citus_add_node(…)" on the coordinator first.'
    case 'done':
      return 'The message store is distributed already.'
    case 'unfit_keys':
      return `These unique keys lack the column that their table is distributed by: ${obstacle.keys.join(', ')}.`
  }
}

/** Runs the steps, all or none, and compares the rows. Returns their numbers. */
async function runSteps(
  db: Db,
  steps: readonly Step[],
  print: (line: string) => void,
): Promise<Map<string, number>> {
  const rows = await db.transaction().execute(async (trx) => {
    if (!(await excludeProcesses(trx))) throw new CliError('A server runs on this database: stop it first.')
    // One connection to each shard after the other: all statements of the transaction use the same.
    await sql`set local citus.multi_shard_modify_mode = sequential`.execute(trx)
    await sql`set local client_min_messages = warning`.execute(trx)
    const before = await countStoreRows(trx)
    for (const [place, step] of steps.entries()) {
      print(numbered(step, place))
      await sql.raw(step.statement).execute(trx)
    }
    const after = await countStoreRows(trx)
    for (const [table, number] of before) {
      if (after.get(table) !== number) {
        throw new CliError(
          `${table} had ${count(number, 'row')} and has ${after.get(table)}: nothing is changed.`,
        )
      }
    }
    return after
  })
  await sql`analyze`.execute(db)
  return rows
}

function numbered({ sentence }: Step, place: number): string {
  return `${place + 1}. ${sentence}.`
}
