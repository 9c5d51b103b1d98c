import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

type Locked = { integrity?: string; hasInstallScript?: true }
const lock: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)
const { allowScripts }: { allowScripts: Record<string, boolean> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const locked = Object.entries(lock.packages).filter(([path]) => path !== '')

test('every package of the lock file is pinned by its hash', () => {
  expect(locked.length).toBeGreaterThan(100)
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
})

test('every package with an install script is allowed to run it or not, and none else', () => {
  const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = withScript.map(([path]) => path.split('node_modules/').at(-1)!)
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(names)].sort())
  expect(readFileSync(join(root, '.npmrc'), 'utf8')).toContain('\nstrict-allow-scripts=true\n')
})
