import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('the upgrade guide installs beside the server that runs, and stops it only then', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const section = /^## Upgrades\n(.*?)^##/ms.exec(guide)![1]!
  const steps = [...section.matchAll(/^\d\. (.*\n(?:(?: {3}.*)?\n)*)/gm)].map((step) => step[1]!)
  const at = (text: string) => steps.findIndex((step) => step.includes(text))
  const order = ['npm ci', 'systemctl stop hearth', 'mv -T switch current', 'remove the folder'].map(at)
  expect(order).toEqual([1, 2, 3, 4])
  expect(at('main.ts backup')).toBe(2)
  expect(at('systemctl start hearth')).toBe(3)
})
