import { afterAll, expect, inject, test } from 'vitest'
import { environment, hearth, hearthIn } from '../support/cli.ts'
import { databaseOn, onServer } from '../support/database-server.ts'

const server = inject('databaseUrl')
const name = `hearth_plain_${process.pid}`
const plain = { ...environment, DATABASE_URL: databaseOn(server, name) }
await onServer(server, `create database ${name} template template0 encoding 'UTF8'`)

afterAll(async () => {
  await onServer(server, `drop database if exists ${name} with (force)`)
})

test('distribute refuses a database whose migrations are pending', async () => {
  const { code, err } = await hearthIn(plain, 'distribute')
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^\d+ migrations pending: run "npm run hearth -- migrate" first\.$/),
  ])
})

test('distribute says that the extension is missing, also when asked what it would do', async () => {
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
