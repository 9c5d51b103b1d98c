import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allPermissions, newHousePermissions, permission } from '../../src/houses/permissions.ts'
import { matrix, type Row } from '../support/matrix.ts'

const page = await readFile(join(import.meta.dirname, '../../docs/permissions.md'), 'utf8')

test('docs/permissions.md lists every bit with its number and value', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d+) +\| (\d+) +\|/gm)]
  const listed = rows.map(([, name, bit, value]) => [name, Number(bit), Number(value)])
  expect(listed).toEqual(Object.entries(permission).map(([name, value]) => [name, Math.log2(value), value]))
  expect(page).toContain(`**${allPermissions}**`)
  expect(page).toContain(`**${newHousePermissions}**`)
})

test('the bits without effect on the page are those that no route needs', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` +\| \d+ +\| \d+ +\| (.*?) +\|/gm)]
  const idle = rows.filter(([, , use]) => use!.startsWith('nothing')).map(([, name]) => name)
  const needed = matrix.filter(isGated).map(needOf)
  expect(idle).toEqual(Object.keys(permission).filter((name) => !needed.includes(name)))
})

test('docs/permissions.md lists the routes of houses and rooms as test/support/matrix.ts does', () => {
  const rows = [...page.matchAll(/^\| `([A-Z]+ \/[^`]*)` +\| (.*?) *\| (.*?) +\|/gm)]
  const listed = rows.map(([, route, when, needs]) => [route, when, needs!.replaceAll('`', '')])
  const held = matrix.filter(isGated).map((row) => [row.route, row.when ?? '', needOf(row)])
  expect(listed).toEqual(held)
})

/** Whether a row is about permissions in a house, and not about refusals for all or routes for non-members. */
function isGated({ reach, ok = 200, unseen }: Row): boolean {
  return (reach === 'house' || reach === 'room') && typeof ok === 'number' && unseen !== 200
}

function needOf({ reach, needs }: Row): string {
  return needs ?? (reach === 'room' ? 'READ_MESSAGES' : 'member')
}
