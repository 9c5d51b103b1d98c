import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { startServer } from '../support/server.ts'
import { databaseUrl } from '../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'hearth-walk-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the commands of docs/tour.md print what the page shows, also when repeated', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/tour.md'), 'utf8')
  const script = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map((block) => block[1]).join('')
  const shown = [...script.matchAll(/^# → (.*)$/gm)].map((line) => line[1])
  expect(shown.length).toBeGreaterThan(5)

  const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl } })
  try {
    const here = script.replace('http://127.0.0.1:8080', server.origin)
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
    for (const run of ['first', 'second']) {
      const { stdout } = await promisify(execFile)('bash', ['-euc', here], { env })
      expect(stdout.trim().split('\n'), run).toEqual(shown)
    }
  } finally {
    await server.end('SIGTERM')
  }
})
