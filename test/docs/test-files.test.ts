import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { printDocument } from '../../scripts/generate/openapi.ts'
import { app } from '../support/world.ts'

/** Operations that behave like another one, and share its test file. */
const twins: Record<string, string> = {
  declineCall: 'call',
  deleteHouseMessage: 'deleteMessage',
  deleteRoomOfHouse: 'deleteRoom',
  getHouseIcon: 'getPicture',
  getReady: 'getHealth',
  getUserHeader: 'getPicture',
  getUserIcon: 'getPicture',
  kickMemberByShortPath: 'kickMember',
  listRestricted: 'listBlocked',
  removeReaction: 'addReaction',
  restrict: 'block',
  unpinMessage: 'pinMessage',
  unrestrict: 'unblock',
}

const files = await readdir(join(import.meta.dirname, '..'), { recursive: true })
const named = new Set(files.filter((file) => file.endsWith('.test.ts')).map((file) => basename(file)))
const document = JSON.parse(printDocument(app)) as { paths: Record<string, object> }
const operations = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
)

test('every operation has a test file of its name: createHouse in create-house.test.ts', () => {
  const lacking = operations.map((id) => fileOf(twins[id] ?? id)).filter((file) => !named.has(file))
  expect(lacking, `no test file ${lacking.join(', ')}`).toEqual([])
})

test('every twin without a test file of its own is an operation', () => {
  expect(Object.keys(twins).filter((id) => !operations.includes(id))).toEqual([])
})

function fileOf(operationId: string): string {
  return `${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.test.ts`
}
