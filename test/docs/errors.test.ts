import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorTable } from '../../src/errors.ts'

const page = join(import.meta.dirname, '../../docs/errors.md')

test('docs/errors.md lists the error table: every code with its status and message', async () => {
  const text = await readFile(page, 'utf8')
  const rows = [...text.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| ([^|]+?) +\|/gm)]
  const listed = rows.map(([, code, status, message]) => [code, Number(status), message])
  const table = Object.entries(errorTable).map(([code, [status, message]]) => [code, status, message])
  expect(listed).toEqual(table)
})
