import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build, type Rolldown } from 'vite'
import { afterAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { installClient, machineNode, root } from '../support/client-package.ts'
import { listen, portOf } from '../support/gateway.ts'
import { call, house, user } from '../support/world.ts'

const run = promisify(execFile)
const folder = await installClient()
const installed = join(folder, 'node_modules/hearth-client')
afterAll(() => rm(dirname(folder), { recursive: true }))

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

/** A bot that waits for a command, answers it, and prints what it has read before. */
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

/** The flag removes WebSocket from newer versions: those before 22 have none. */
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

/** The package as a bundler builds it for a page. */
async function bundle(): Promise<Rolldown.OutputChunk[]> {
  await writeFile(join(folder, 'page.js'), "export * from 'hearth-client'")
  const output = (await build({
    configFile: false,
    root: folder,
    logLevel: 'silent',
    build: { write: false, lib: { entry: join(folder, 'page.js'), formats: ['es'] } },
  })) as Rolldown.RolldownOutput[]
  return output.flatMap(({ output }) => output).filter((file) => file.type === 'chunk')
}

test('a bundle for browsers has nothing of Node', async () => {
  const chunks = await bundle()
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual([])
  expect(chunks.map(({ code }) => code).join('\n')).not.toMatch(/createRequire|websocket\.cjs|\bprocess\./)
})

const html = `<!doctype html><title>A page</title><script type="module">
  import * as client from '/client.js'
  globalThis.client = client
</script>`
type Client = typeof import('../../packages/client/index.ts')

/** Runs in the page: logs in at the gateway, and sends a message that comes back. */
async function echoInPage([address, token, room]: [string, string, string]): Promise<string> {
  const { Api, Gateway } = (globalThis as unknown as { client: Client }).client
  const gateway = new Gateway({ address, token })
  gateway.on('INIT_STATE', () => {
    new Api({ address, token }).call('sendMessage', {
      params: { id: room },
      body: { content: 'from a page' },
    })
  })
  gateway.connect()
  for await (const event of gateway) {
    if (event.e === 'MESSAGE_CREATE') return event.d.content
  }
  return 'nothing'
}

test('the package works in a browser', async () => {
  const [{ code } = { code: '' }] = await bundle()
  const site = createServer((request, response) => {
    const isScript = request.url === '/client.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? code : html)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const ann = await user()
  const den = await house({ owner: ann })
  const address = `http://127.0.0.1:${portOf(await listen())}`
  const browser = await launchBrowser(folder)
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  const echoed = await page.evaluate(echoInPage, [address, ann.token, den.room_id] as [
    string,
    string,
    string,
  ])
  await browser.close()
  site.close()
  expect(echoed).toBe('from a page')
})
