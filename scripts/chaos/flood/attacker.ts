// A process that attacks a server until it is left alone, so that what the innocent see is measured elsewhere.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What to do to whom; `tokens` are those of accounts that the attacker has. */
export type Attack = {
  kind: keyof typeof attacks
  port: number
  tokens: string[]
  room: string
  sockets: number
}
/** How many connections are open and how many were made, how much was sent, and how many answers came. */
export type Toll = { open: number; connected: number; sentBytes: number; answers: Record<string, number> }

const dribbleMs = 400
/** The kernel makes only so many connections at once. */
const opensAtOnce = 100
const pipelined = 400

const open = new Set<Socket>()
const answers: Record<string, number> = {}
let connected = 0

function openSocket(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  open.add(socket)
  socket.on('connect', () => {
    connected += 1
  })
  socket.on('error', () => {})
  socket.on('close', () => open.delete(socket))
  return socket
}

function note(head: string): void {
  const status = /^HTTP\/1.1 ([0-9]{3})/.exec(head)?.[1] ?? 'broken'
  answers[status] = (answers[status] ?? 0) + 1
}

/** Asks again as soon as it is answered. */
function hammer(socket: Socket, request: () => string): void {
  let missing = 0
  socket.write(request())
  socket.on('data', (chunk) => {
    if (missing === 0) {
      const head = chunk.toString('latin1', 0, 2_000)
      note(head)
      const length = Number(/content-length: ([0-9]+)/i.exec(head)?.[1] ?? 0)
      missing = head.indexOf('\r\n\r\n') + 4 + length
    }
    missing = Math.max(0, missing - chunk.length)
    if (missing === 0) socket.write(request())
  })
}

function get(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${token}\r\n\r\n`
}

let guesses = 0

function guess(): string {
  guesses += 1
  const body = JSON.stringify({ login: `victim${guesses % 1_000}`, password: `guess number ${guesses}` })
  return `POST /auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

function dribble(socket: Socket, beginning: string, drop: string): void {
  socket.write(beginning)
  const timer = setInterval(() => socket.writable && socket.write(drop), dribbleMs)
  socket.on('close', () => clearInterval(timer))
  socket.resume()
}

const upgrade = ['GET /socket HTTP/1.1', 'host: x', 'upgrade: websocket', 'connection: upgrade']
const key = ['sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version: 13', '', '']

/** What is done with each socket. */
const attacks = {
  'slow headers': (socket: Socket) => dribble(socket, 'GET / HTTP/1.1\r\nhost: x\r\nx-slow: ', 'x'),
  'slow bodies': (socket: Socket) =>
    dribble(
      socket,
      'POST /auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n{',
      ' ',
    ),
  'idle sockets': (socket: Socket, _attack: Attack, index: number) => {
    if (index % 2 === 0) socket.write([...upgrade, ...key].join('\r\n'))
    socket.resume()
  },
  'login guessing': (socket: Socket) => hammer(socket, guess),
  'one user': (socket: Socket, { tokens }: Attack) => hammer(socket, () => get('/users/@me', tokens[0]!)),
  'many users': (socket: Socket, { tokens, room }: Attack, index: number) => {
    const token = tokens[index % tokens.length]!
    hammer(socket, () => get(`/rooms/${room}/messages?limit=100`, token))
  },
  'slow readers': (socket: Socket, { tokens, room }: Attack, index: number) => {
    const token = tokens[index % tokens.length]!
    socket.write(get(`/rooms/${room}/messages?limit=100`, token).repeat(pipelined))
    socket.pause()
  },
}

const sockets: Socket[] = []

/** Connects first, and then begins with all sockets at once. */
async function attack(order: Attack): Promise<void> {
  while (sockets.length < order.sockets) {
    const some = Array.from({ length: Math.min(opensAtOnce, order.sockets - sockets.length) }, () =>
      openSocket(order.port),
    )
    await Promise.all(some.map((socket) => once(socket, 'connect').catch(() => {})))
    sockets.push(...some)
  }
  for (const [index, socket] of sockets.entries()) attacks[order.kind](socket, order, index)
}

function count(): Toll {
  const sentBytes = sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0)
  return { open: open.size, connected, sentBytes, answers }
}

// Each message is answered: an attack once it has begun.
process.on('message', async (message: Attack | 'count') => {
  if (message !== 'count') await attack(message)
  process.send!(count())
})
process.on('disconnect', () => process.exit())
