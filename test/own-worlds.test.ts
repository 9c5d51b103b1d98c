import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = import.meta.dirname

/** The files with a world of their own, and what they would disturb, or be disturbed by, in one that others use. */
const ownWorlds: Record<string, string> = {
  'accounts/mails/queue.test.ts': 'sends whatever mail waits',
  'accounts/mails/stop.system.test.ts': 'sends whatever mail waits',
  'accounts/secrets-in-rows.test.ts': 'reads every row of every table',
  'administration/get-admin-overview.test.ts': 'counts accounts, houses and messages',
  'cli/backup-secrets.test.ts': 'backs up the whole database',
  'cli/backup.test.ts': 'backs up the whole database',
  'cli/demo.test.ts': 'makes accounts with fixed names',
  'cli/restore.system.test.ts': 'counts the files of the store',
  'cli/running-server.system.test.ts': 'has servers with Redis',
  'cli/verify-backup.system.test.ts': 'backs up the whole database',
  'cli/verify-backup.test.ts': 'backs up the whole database',
  'database/availability/unavailable.system.test.ts': 'fills the disk and locks tables',
  'database/migrations/migrations.test.ts': 'goes back to earlier versions',
  'database/migrations/room-heads.test.ts': 'goes back to earlier versions',
  'database/plans.test.ts': 'needs the statistics of its own rows',
  'database/pool/prepared-statements.test.ts': 'counts prepared statements',
  'database/presence-plans.test.ts': 'needs the statistics of empty tables',
  'database/push-plans.test.ts': 'needs the statistics of its own rows',
  'docs/dashboard.system.test.ts': 'has servers with Redis',
  'docs/examples.test.ts': 'compares whole answers, ids included',
  'events/log.test.ts': 'empties the log',
  'events/published-ranges.test.ts': 'has another relay',
  'events/redis-outage.system.test.ts': 'has servers with Redis',
  'events/unanswered-commits.system.test.ts': 'delays all commits',
  'gateway/statements.test.ts': 'counts statements',
  'http/metrics/log-metrics.test.ts': 'counts the events of the log',
  'http/metrics/redis-metrics.system.test.ts': 'has servers with Redis',
  'http/server/secrets-in-logs.system.test.ts': 'has writes fail',
  'http/shared-rate-limits.system.test.ts': 'has servers with Redis',
  'messages/read/feed-cost.test.ts': 'needs the statistics of its own rows',
  'messages/removal/exploding.test.ts': 'erases whatever has exploded',
  'messages/removal/house-retention.test.ts': 'deletes whatever is too old',
  'messages/removal/retention.test.ts': 'deletes whatever is too old',
  'messages/search/cost.test.ts': 'needs the statistics of its own rows',
  'messages/statements.test.ts': 'counts statements',
  'process/start.system.test.ts': 'has servers with Redis',
  'read-states/marks.test.ts': 'deletes whatever has exploded or is too old',
  'storage/discard.test.ts': 'counts discarded files',
  'storage/eraser.test.ts': 'erases whatever is discarded',
  'web/administration.web.test.ts': 'shows what the server has and uses',
}

test('few files have a world of their own, each for a reason', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.test.ts'),
  )
  const own = files.filter((path) => {
    const text = readFileSync(join(folder, path), 'utf8')
    return /^await own(?:World|Server)\(\)/m.test(text)
  })
  expect(own.toSorted()).toEqual(Object.keys(ownWorlds))
})
