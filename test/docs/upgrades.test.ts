import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('the upgrade guide stops the server before it installs, and starts it afterwards', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const section = /^## Upgrades\n(.*?)^## /ms.exec(guide)![1]!
  const steps = [...section.matchAll(/^\d\. (.*\n(?: {3}.*\n)*)/gm)].map((step) => step[1]!)
  const at = (text: string) => steps.findIndex((step) => step.includes(text))
  expect(at('Stop the server first')).toBeGreaterThan(-1)
  expect(at('`git pull && npm ci`')).toBe(at('Stop the server first') + 1)
  expect(at('Start the server')).toBe(at('`git pull && npm ci`') + 1)
})
