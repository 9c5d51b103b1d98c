import { expect, test } from 'vitest'
import { Api } from '../../src/client/api.ts'
import { answerCommands, type Command } from '../../src/client/commands.ts'
import type { Events } from '../../src/client/events.ts'
import { Gateway } from '../../src/client/gateway.ts'
import { listen, portOf } from '../support/gateway.ts'
import { call, house, user } from '../support/world.ts'

const app = await listen()
const address = `http://127.0.0.1:${portOf(app)}`

type Commands = Record<string, (command: Command) => unknown>

/** A bot in a room with a person and another bot, and the commands that it has received. */
async function scene(commands: Commands) {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const other = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [bot, other] })
  const api = new Api({ address, token: bot.token })
  const gateway = new Gateway({ address, token: bot.token })
  const failures: unknown[] = []
  const onError = (error: unknown) => failures.push(error)
  answerCommands({ api, gateway, commands, onError })
  const ready = new Promise<void>((resolve) => {
    gateway.onState(({ name }) => {
      if (name === 'ready') resolve()
    })
  })
  gateway.connect()
  await ready
  const path = `/rooms/${den.room_id}/messages`
  const say = (content: string, sender = ann) => call(sender, 'POST', path, { content })
  const contents = async () =>
    (await call(ann, 'GET', path)).body.data.map(({ content }: { content: string }) => content)
  return { api, gateway, failures, say, contents, other }
}

test('a command gets its text and words, and is answered in its room', async () => {
  const seen: Pick<Command, 'name' | 'text' | 'words'>[] = []
  const { gateway, say, contents } = await scene({
    async Echo({ name, text, words, reply }) {
      seen.push({ name, text, words })
      await reply(text)
    },
  })
  await say('echo no')
  await say('! echo no')
  await say('!other no')
  await say('!ECHO  two\nlines ')
  await expect.poll(contents).toContain('two\nlines')
  expect(seen).toEqual([{ name: 'echo', text: 'two\nlines', words: ['two', 'lines'] }])
  gateway.close()
})

test('a bot does not answer bots, nor itself', async () => {
  const { gateway, say, contents, other } = await scene({ again: ({ reply }) => reply('!again') })
  await say('!again', other)
  await say('!again')
  await expect.poll(contents).toHaveLength(3)
  await say('the last')
  expect(await contents()).toEqual(['the last', '!again', '!again', '!again'])
  gateway.close()
})

test('what a command throws is given to onError', async () => {
  const { gateway, failures, say } = await scene({
    fail: () => {
      throw new Error('this command fails')
    },
  })
  await say('!fail')
  await expect.poll(() => failures).toEqual([new Error('this command fails')])
  gateway.close()
})

test('a command that is received twice is answered once', async () => {
  const sent: unknown[] = []
  const commands: Commands = { once: async ({ reply }) => sent.push(await reply('done')) }
  const { gateway, api, say, contents } = await scene(commands)
  let message: Events['MESSAGE_CREATE'] | undefined
  gateway.on('MESSAGE_CREATE', (each) => (message ??= each))
  await say('!once')
  await expect.poll(() => sent).toHaveLength(1)

  const repeating = {
    on(name: string, listener: (d: never) => void) {
      if (name === 'MESSAGE_CREATE') listener(message as never)
      return () => {}
    },
  }
  answerCommands({ api, gateway: repeating, commands, onError: (error) => sent.push(error) })
  await expect.poll(() => sent).toHaveLength(2)
  expect(sent[1]).toEqual(sent[0])
  expect(await contents()).toEqual(['done', '!once'])
  gateway.close()
})
