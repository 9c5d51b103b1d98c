import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { installClient, root } from '../support/client-package.ts'

const run = promisify(execFile)
const folder = await installClient()
afterAll(() => rm(dirname(folder), { recursive: true }))

const typed = `
import { Api, Gateway, paginate } from 'hearth-client'
const api: Api = new Api({ address: '', token: 'x', retryMs: 0 })
const gateway = new Gateway({ address: '', token: 'x' })
gateway.on('MESSAGE_CREATE', (message) => message.author.name.trim())
export const content: string = (await api.call('sendMessage', { params: { id: '1' }, body: { content: 'x' } })).content
for await (const member of paginate(api, 'listMembers', { params: { id: '1' }, query: { limit: 10, extended: true } })) member.user.name.trim()
// @ts-expect-error: bodies have types
await api.call('sendMessage', { params: { id: '1' }, body: { content: 1 } })
// @ts-expect-error: an unknown operation
await api.call('sendMesage', { params: { id: '1' } })
`

/** The types of each operation and event in the package, and in the sources. */
const same = `
import type { Answer, Events, Input, OperationId } from 'hearth-client'
import type { Events as OwnEvents } from '${root}/src/client/events.ts'
import type { Answer as OwnAnswer, Input as OwnInput, OperationId as OwnId } from '${root}/src/client/operations.ts'

type Same<A, B> = [A, B] extends [B, A] ? true : false
type Differing =
  | { [Id in OwnId]: Same<Answer<Id>, OwnAnswer<Id>> extends true ? never : \`answer of \${Id}\` }[OwnId]
  | { [Id in OwnId]: Same<Input<Id>, OwnInput<Id>> extends true ? never : \`input of \${Id}\` }[OwnId]
  | { [Name in keyof OwnEvents]: Same<Events[Name], OwnEvents[Name]> extends true ? never : Name }[keyof OwnEvents]
type Assert<Nothing extends never> = Nothing
export type None = Assert<Differing>
export const ids: Same<OperationId, OwnId> = true
`

const tsc = (file: string, ...flags: string[]) =>
  run(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '--ignoreConfig', '--noEmit', '--strict', ...flags, file],
    { cwd: folder },
  ).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
const modules = ['--module', 'nodenext']

test.each([
  ['browsers', ['--lib', 'es2022,dom', '--types', '']],
  ['Node', ['--lib', 'es2022', '--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]],
])('the types need nothing but those of %s', async (_, flags) => {
  await writeFile(join(folder, 'typed.ts'), typed)
  expect(await tsc('typed.ts', ...modules, '--target', 'es2022', ...flags)).toBe('')
})

test('the types of operations and events are those of the schemas', async () => {
  await writeFile(join(folder, 'same.ts'), same)
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const lib = ['--target', 'es2024', '--lib', 'es2024,esnext.collection,esnext.disposable', '--skipLibCheck']
  const strictness = ['--allowImportingTsExtensions', '--noUncheckedIndexedAccess']
  expect(await tsc('same.ts', ...modules, ...types, ...lib, ...strictness)).toBe('')
})
