import type { Api } from './api.ts'
import type { Events } from './events.ts'
import type { Gateway } from './gateway.ts'
import type { Answer } from './operations.ts'

export type Command = {
  /** The name of the command, in lower case. */
  name: string
  /** The text after the name, without the white space around it. */
  text: string
  /** The words of `text`. */
  words: string[]
  message: Events['MESSAGE_CREATE']
  /** Sends a message to the room. A command that is received again after a reconnect is not answered twice. */
  reply(content: string): Promise<Answer<'sendMessage'>>
}

export type CommandsOptions = {
  api: Pick<Api, 'call'>
  gateway: Pick<Gateway, 'on'>
  /** The beginning of each command: by default `!`. */
  prefix?: string
  /** The functions, by the name of the command. */
  commands: Record<string, (command: Command) => unknown>
  /** Called with what a command throws. */
  onError: (error: unknown, command: Command) => void
}

/**
 * Runs a function of `commands` for messages such as `!echo some text`, except those of bots. Returns a function that
 * stops it.
 *
 *     const commands = { echo: ({ text, reply }) => reply(text) }
 *     answerCommands({ api, gateway, commands, onError: console.error })
 */
export function answerCommands(options: CommandsOptions): () => void {
  const { api, gateway, prefix = '!', commands, onError } = options
  const handlers = new Map(Object.entries(commands).map(([name, run]) => [name.toLowerCase(), run]))
  let self: string | undefined

  function handle(message: Events['MESSAGE_CREATE']): void {
    if (message.author_id === self || message.author.bot) return
    const command = readCommand(api, prefix, message)
    const run = command && handlers.get(command.name)
    if (run) void runCommand(run, command, onError)
  }
  const removers = [
    gateway.on('INIT_STATE', ({ user }) => {
      self = user.id
    }),
    gateway.on('MESSAGE_CREATE', handle),
  ]
  return () => {
    for (const remove of removers) remove()
  }
}

async function runCommand(
  run: (command: Command) => unknown,
  command: Command,
  onError: CommandsOptions['onError'],
): Promise<void> {
  try {
    await run(command)
  } catch (error) {
    onError(error, command)
  }
}

function readCommand(
  api: Pick<Api, 'call'>,
  prefix: string,
  message: Events['MESSAGE_CREATE'],
): Command | undefined {
  if (!message.content.startsWith(prefix)) return undefined
  const [, name, rest = ''] = /^(\S+)(.*)$/s.exec(message.content.slice(prefix.length)) ?? []
  if (name === undefined) return undefined
  const text = rest.trim()
  const words = text === '' ? [] : text.split(/\s+/)
  let replies = 0
  function reply(content: string) {
    replies += 1
    const body = { content, nonce: `reply-${message.id}-${replies}` }
    return api.call('sendMessage', { params: { id: message.room_id }, body })
  }
  return { name: name.toLowerCase(), text, words, message, reply }
}
