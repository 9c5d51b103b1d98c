import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listen, logIn, portOf } from '../support/gateway.ts'
import { freePort } from '../support/server.ts'
import { call, folder, house, user } from '../support/world.ts'

const root = join(import.meta.dirname, '../..')
const page = await readFile(join(root, 'docs/write-a-bot.md'), 'utf8')
const typed = await keep('echo.ts', /^```ts\n(.*?)^```/ms)
const bare = await keep('echo.mjs', /^```js\n(.*?)^```/ms)
const stops: (() => void)[] = []
afterAll(() => {
  for (const stop of stops) stop()
})

/** Saves a bot of the page beside a link to this checkout. */
async function keep(name: string, block: RegExp): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, block.exec(page)![1]!.replaceAll('./hearth/', `${root}/`))
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

test('the bot without the typed client reports a Node that is too old', async () => {
  const written = startBot(bare, 'http://127.0.0.1:1', 'none', ['--no-experimental-websocket'])
  await expect.poll(written).toContain('this bot needs Node 22 or newer, and this is v')
})
