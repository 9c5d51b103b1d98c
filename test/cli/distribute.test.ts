import { expect, inject, test } from 'vitest'
import { environment, hearth, hearthIn } from '../support/cli.ts'
import { databaseOn, onServer } from '../support/database-server.ts'

/** An empty database without extensions, as variables. The run drops it. */
async function plainDatabase(name: string) {
  const database = `${inject('template')}_plain_${name}`
  await onServer(inject('databaseUrl'), `create database ${database} template template0 encoding 'UTF8'`)
  return { ...environment(), DATABASE_URL: databaseOn(inject('databaseUrl'), database) }
}

test('distribute refuses a database whose migrations are pending', async () => {
  const { code, err } = await hearthIn(await plainDatabase('pending'), 'distribute')
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^\d+ migrations pending: run "npm run hearth -- migrate" first\.$/),
  ])
})

test('distribute says that the extension is missing, also when asked what it would do', async () => {
  const plain = await plainDatabase('migrated')
  expect(await hearthIn(plain, 'migrate')).toMatchObject({ code: 0 })
  const missing =
    'The database has no extension "citus": create it on the coordinator and on all workers first.'
  for (const options of [[], ['--dry-run'], ['--json']]) {
    expect(await hearthIn(plain, 'distribute', ...options)).toEqual({ code: 1, out: '', err: missing })
  }
})

test('distribute takes no parameter', async () => {
  expect(await hearth('distribute', 'messages')).toMatchObject({ code: 2 })
})
