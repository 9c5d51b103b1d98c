import { spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { installClient, root } from '../support/client-package.ts'
import { listen, logIn, portOf } from '../support/gateway.ts'
import { freePort } from '../support/server.ts'
import { call, house, user } from '../support/world.ts'

const page = await readFile(join(root, 'docs/write-a-bot.md'), 'utf8')
const folder = await installClient()
const blocks = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code!)
const [typed, bare] = [await keep('bot.mjs', blocks[0]!), await keep('echo.mjs', blocks[1]!)]
const stops: (() => void)[] = []
afterAll(async () => {
  for (const stop of stops) stop()
  await rm(dirname(folder), { recursive: true })
})

/** Saves a bot of the page into the folder in which the typed client is installed. */
async function keep(name: string, code: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, code)
  return file
}

/** Starts a bot of the page, and collects its output. */
function startBot(file: string, url: string, token: string, flags: string[] = []): () => string {
  const env = { HEARTH_URL: url, BOT_TOKEN: token }
  const running = spawn(process.execPath, [...flags, file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  stops.push(() => running.kill())
  let written = ''
  for (const output of [running.stdout, running.stderr]) output.on('data', (text) => (written += text))
  return () => written
}

test.each([
  ['with the typed client', '', typed],
  ['with the typed client', '/', typed],
  ['without it', '', bare],
  ['without it', '/', bare],
])('the bot of docs/write-a-bot.md %s logs in and echoes, at an address with "%s"', async (_, end, file) => {
  const app = await listen()
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [bot] })
  const client = await logIn(app, ann)
  startBot(file, `http://127.0.0.1:${portOf(app)}${end}`, bot.token)
  await client.next('HOUSE_MEMBER_ENTER')

  const say = (content: string) => call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content })
  await say('hello')
  await say('!echo two\nlines')
  const contents: string[] = []
  for (let count = 0; count < 3; count++) contents.push((await client.next('MESSAGE_CREATE')).d.content)
  expect(contents).toEqual(['hello', '!echo two\nlines', 'two\nlines'])
})

test.each([
  ['with the typed client', typed],
  ['without it', bare],
])('the bot %s says that it reaches no server, and goes on trying', async (_, file) => {
  const url = `http://127.0.0.1:${await freePort()}`
  const written = startBot(file, url, 'none')
  await expect.poll(written).toContain(`no connection to ${url}, trying again\n`.repeat(2))
})

test('the bot with the typed client ends when the token is not valid', async () => {
  const written = startBot(typed, `http://127.0.0.1:${portOf(await listen())}`, 'none')
  await expect.poll(written).toContain('Error: the token is not valid')
})

test('the page names the archive that npm pack makes', async () => {
  const { version } = JSON.parse(await readFile(join(root, 'packages/client/package.json'), 'utf8'))
  expect(page).toContain(`packages/client/hearth-client-${version}.tgz`)
})

test('the bot without the typed client reports a Node that is too old', async () => {
  const written = startBot(bare, 'http://127.0.0.1:1', 'none', ['--no-experimental-websocket'])
  await expect.poll(written).toContain('this bot needs Node 22 or newer, and this is v')
})
