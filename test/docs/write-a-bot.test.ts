import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listen, logIn, portOf } from '../support/gateway.ts'
import { call, folder, house, user } from '../support/world.ts'

const page = join(import.meta.dirname, '../../docs/write-a-bot.md')
const stops: (() => void)[] = []
afterAll(() => {
  for (const stop of stops) stop()
})

test('the bot of docs/write-a-bot.md logs in and echoes', async () => {
  const app = await listen()
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [bot] })
  const client = await logIn(app, ann)

  const code = /^```js\n(.*?)^```/ms.exec(await readFile(page, 'utf8'))![1]!
  const file = join(folder, 'echo.mjs')
  await writeFile(file, code)
  const env = { HEARTH_URL: `http://127.0.0.1:${portOf(app)}`, BOT_TOKEN: bot.token }
  const running = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  stops.push(() => running.kill())
  await client.next('HOUSE_MEMBER_ENTER')

  const say = (content: string) => call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content })
  await say('hello')
  await say('!echo two\nlines')
  const contents: string[] = []
  for (let count = 0; count < 3; count++) contents.push((await client.next('MESSAGE_CREATE')).d.content)
  expect(contents).toEqual(['hello', '!echo two\nlines', 'two\nlines'])
})
