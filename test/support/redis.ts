import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { openKeys, type Value } from './redis-keys.ts'
import { freePort } from './server.ts'

/**
 * The least of a Redis that a server speaks to, on 127.0.0.1: RESP2 with INFO, CLIENT, SUBSCRIBE, PUBLISH, PING and QUIT,
 * each message to every subscriber in the order of arrival, and the scripts of the rate limits. Stands in where no Redis
 * is installed.
 */
export async function startRedis(onPort?: number) {
  let hangs = false
  let refusesSubscribers = false
  let scriptRefusal: string | undefined
  let scriptsRun = 0
  let clock = () => Date.now() * 1000
  const keys = await openKeys(() => clock())
  const subscribers = new Map<Socket, Set<string>>()
  const sockets = new Set<Socket>()

  function answer(socket: Socket, [name, ...args]: string[]): void {
    const command = name!.toLowerCase()
    if (command === 'info') socket.write(bulk('redis_version:7.0.0\r\nloading:0\r\n'))
    else if (command === 'hello') socket.write("-ERR unknown command 'HELLO'\r\n")
    else if (command === 'ping') socket.write('+PONG\r\n')
    else if (command === 'subscribe' && refusesSubscribers) {
      socket.write('-NOPERM No permissions to access a channel\r\n')
    } else if (command === 'subscribe') {
      subscribers.set(socket, new Set([...(subscribers.get(socket) ?? []), args[0]!]))
      socket.write(`*3\r\n${bulk('subscribe')}${bulk(args[0]!)}:1\r\n`)
    } else if (command === 'publish') {
      const receivers = [...subscribers].filter(([, channels]) => channels.has(args[0]!))
      for (const [receiver] of receivers) {
        receiver.write(`*3\r\n${bulk('message')}${bulk(args[0]!)}${bulk(args[1]!)}`)
      }
      socket.write(`:${receivers.length}\r\n`)
    } else if (command === 'quit') socket.end('+OK\r\n')
    else socket.write(answerOfKeys(command, args))
  }

  function answerOfKeys(command: string, args: string[]): string {
    const isScript = command.startsWith('eval')
    if (isScript) scriptsRun += 1
    if (isScript && scriptRefusal !== undefined) return `-${scriptRefusal}\r\n`
    try {
      const answer = keys.run(command, args)
      return answer === undefined ? '+OK\r\n' : encode(answer)
    } catch (error) {
      return `-${(error as Error).message.split('\n')[0]}\r\n`
    }
  }

  const server = createServer((socket) => {
    let pending = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      subscribers.delete(socket)
    })
    socket.on('data', (chunk) => {
      if (hangs) return
      pending = Buffer.concat([pending, chunk])
      for (let command = takeCommand(pending); command; command = takeCommand(pending)) {
        pending = pending.subarray(command.length)
        answer(socket, command.words)
      }
    })
  })
  const port = onPort ?? (await freePort())
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    /** From now on nothing is answered, or everything again; what came in between is lost. */
    hang(isHanging: boolean) {
      hangs = isHanging
    },
    /** From now on it answers as to a user who may not use the channel, or may again. */
    refuseSubscribers(isRefusing: boolean) {
      refusesSubscribers = isRefusing
    },
    /** From now on it answers scripts with this error, or (undefined) runs them again. */
    refuseScripts(error: string | undefined) {
      scriptRefusal = error
    },
    /** How many scripts it was asked to run. */
    scriptCount: () => scriptsRun,
    /** Replaces its clock by one in ms. */
    setClock(now: () => number) {
      clock = () => Math.round(now() * 1000)
    },
    connectionCount: () => sockets.size,
    drop() {
      for (const socket of sockets) socket.destroy()
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`
}

function encode(value: Value): string {
  if (value === null) return '$-1\r\n'
  if (typeof value === 'number') return `:${Math.trunc(value)}\r\n`
  if (typeof value === 'string') return bulk(value)
  return `*${value.length}\r\n${value.map(encode).join('')}`
}

/** The first whole command of a buffer (an array of bulk strings) and how many bytes it takes, or undefined. */
function takeCommand(buffer: Buffer): { words: string[]; length: number } | undefined {
  let at = 0
  const line = (): string | undefined => {
    const end = buffer.indexOf('\r\n', at)
    if (end === -1) return undefined
    const text = buffer.toString('utf8', at, end)
    at = end + 2
    return text
  }
  const head = line()
  if (head === undefined) return undefined
  const words: string[] = []
  for (let n = 0; n < Number(head.slice(1)); n += 1) {
    const size = line()
    if (size === undefined || buffer.length < at + Number(size.slice(1)) + 2) return undefined
    words.push(buffer.toString('utf8', at, at + Number(size.slice(1))))
    at += Number(size.slice(1)) + 2
  }
  return { words, length: at }
}
