import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingNames } from '../../src/config/environment.ts'

const root = join(import.meta.dirname, '../..')
const compose = await readFile(join(root, 'docker-compose.yml'), 'utf8')
const example = await readFile(join(root, '.env.example'), 'utf8')

test('docker compose passes on every setting except those that the image sets', () => {
  const passed = [...compose.matchAll(/^ {6}([A-Z_]+): /gm)].map((line) => line[1])
  const setByImage = ['HOST', 'PORT', 'DATA_DIR']
  expect(passed).toEqual(expect.arrayContaining(settingNames.filter((name) => !setByImage.includes(name))))
})

test('.env.example has exactly the variables of docker compose', () => {
  const taken = new Set([...compose.matchAll(/[$][{]([A-Z_]+)/g)].map((name) => name[1]))
  const shown = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map((line) => line[1])
  expect(shown.sort()).toEqual([...taken].sort())
})

test.each(['hearth', 'database'])('docker compose runs %s without capabilities and with limits', (name) => {
  const service = compose.match(new RegExp(`^  ${name}:\n(?: {4}.*\n|\n)+`, 'm'))![0]
  expect(service).toMatch(/^ {4}cap_drop: \[ALL\]$/m)
  expect(service).toMatch(/^ {4}security_opt: \["no-new-privileges:true"\]$/m)
  expect(service).toMatch(/^ {4}read_only: true$/m)
  expect(service).toMatch(/^ {4}tmpfs: \["\/tmp", /m)
  expect(service).toMatch(/^ {4}mem_limit: \S+$/m)
  expect(service).toMatch(/^ {4}pids_limit: \d+$/m)
})

test('the database of docker compose has the encoding that the server needs', () => {
  expect(compose).toMatch(/^ {6}POSTGRES_INITDB_ARGS: --encoding=UTF8$/m)
})
