import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build, type Rolldown } from 'vite'
import { afterAll, expect, test } from 'vitest'
import { installClient, machineNode, root } from '../support/client-package.ts'
import { listen, portOf } from '../support/gateway.ts'
import { call, house, user } from '../support/world.ts'

const run = promisify(execFile)
const folder = await installClient()
const installed = join(folder, 'node_modules/hearth-client')
afterAll(() => rm(dirname(folder), { recursive: true }))

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

/** Waits for a command, answers it, and prints what it has read before. */
const bot = `
import { answerCommands, Api, Gateway, housePermissions, OperationError, paginate, permission } from 'hearth-client'

const { HEARTH_URL: address, BOT_TOKEN: token, ROOM: room } = process.env
const api = new Api({ address, token })
const gateway = new Gateway({ address, token })
gateway.on('INIT_STATE', () => api.call('sendMessage', { params: { id: room }, body: { content: 'here' } }))
const commands = {
  async count({ words, reply }) {
    const contents = []
    for await (const { content } of paginate(api, 'listMessages', { params: { id: room }, query: { limit: 2 } })) {
      contents.push(content)
    }
    await reply(words.join('+'))
    const refused = await api.call('getRoom', { params: { id: '1' } }).catch((error) => error)
    const owner = { user_id: '1', owner_id: '1', default_permissions: 0, roles: [] }
    console.log(JSON.stringify({
      version: process.version,
      contents,
      refused: refused instanceof OperationError && refused.message,
      canKick: (housePermissions(owner) & permission.KICK_MEMBERS) !== 0,
    }))
    gateway.close()
  },
}
answerCommands({ api, gateway, commands, onError: console.error })
gateway.connect()
`

/** With the flag, newer versions are as those before 22, which have no WebSocket. */
const withoutWebSocket = (version: string) =>
  Number(/^v(\d+)/.exec(version)![1]) >= 22 ? ['--no-experimental-websocket'] : []

test.each([
  ['the Node of the machine', machineNode, () => []],
  ['a Node without WebSocket', machineNode, withoutWebSocket],
  ['the Node of the project', async () => process.execPath, () => []],
])('a bot with the installed package runs in %s', async (_, findNode, flagsOf) => {
  const app = await listen()
  const ann = await user()
  const bots = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [bots] })
  const node = await findNode()
  const { stdout: version } = await run(node, ['--version'])
  await writeFile(join(folder, 'bot.js'), bot)
  const env = { HEARTH_URL: `http://127.0.0.1:${portOf(app)}`, BOT_TOKEN: bots.token, ROOM: den.room_id }
  const running = run(node, [...flagsOf(version), 'bot.js'], { cwd: folder, env })

  const contents = async () => {
    const { body } = await call(ann, 'GET', `/rooms/${den.room_id}/messages`)
    return body.data.map(({ content }: { content: string }) => content)
  }
  await expect.poll(contents).toEqual(['here'])
  const path = `/rooms/${den.room_id}/messages`
  await call(ann, 'POST', path, { content: '!none' })
  await call(ann, 'POST', path, { content: '!count  one two' })
  const { stdout, stderr } = await running
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    version: version.trim(),
    contents: ['!count  one two', '!none', 'here'],
    refused: expect.stringMatching(/^getRoom \(GET \/rooms\/1\): \d{3} room_not_found: /),
    canKick: true,
  })
  expect(await contents()).toContain('one+two')
})

test('the package has no dependencies, and the version of the server', () => {
  const { dependencies, peerDependencies, version } = json(join(installed, 'package.json'))
  expect({ dependencies, peerDependencies }).toEqual({})
  expect(version).toBe(json(join(root, 'package.json')).version)
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'hearth-client',
  ])
  const names = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  expect(names.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([])
})

test('a bundle for browsers has nothing of Node', async () => {
  await writeFile(join(folder, 'page.js'), "export * from 'hearth-client'")
  const output = (await build({
    configFile: false,
    root: folder,
    logLevel: 'silent',
    build: { write: false, lib: { entry: join(folder, 'page.js'), formats: ['es'] } },
  })) as Rolldown.RolldownOutput[]
  const chunks = output.flatMap(({ output }) => output).filter((file) => file.type === 'chunk')
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual([])
  expect(chunks.map(({ code }) => code).join('\n')).not.toMatch(/createRequire|websocket\.cjs|\bprocess\./)
})

const typed = `
import { Api, Gateway, paginate } from 'hearth-client'
const api: Api = new Api({ address: '', token: 'x', retryMs: 0 })
const gateway = new Gateway({ address: '', token: 'x' })
gateway.on('MESSAGE_CREATE', (message) => message.author.name.trim())
export const content: string = (await api.call('sendMessage', { params: { id: '1' }, body: { content: 'x' } })).content
for await (const member of paginate(api, 'listMembers', { params: { id: '1' }, query: { limit: 10 } })) member.user.name.trim()
// @ts-expect-error: bodies have types
await api.call('sendMessage', { params: { id: '1' }, body: { content: 1 } })
// @ts-expect-error: an unknown operation
await api.call('sendMesage', { params: { id: '1' } })
`

/** What the package says of each operation and event, and what the sources say. */
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
