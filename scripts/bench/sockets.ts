// Opens gateway or bare sockets in a process of its own and reports what they got.
// Messages from the parent: {open: {origin, path, tokens}}, {expect: n}; to it: {opened: true}, {received: true}.
import { WebSocket } from 'ws'

type Order = { open?: { origin: string; path: string; tokens: (string | null)[] }; expect?: number }

const sockets: WebSocket[] = []
const marker = Buffer.from('"MESSAGE_CREATE"')
let received = 0
let expected = Number.POSITIVE_INFINITY

function count(frame: Buffer): void {
  if (!frame.subarray(0, 80).includes(marker)) return
  received += 1
  if (received >= expected) report()
}

function report(): void {
  expected = Number.POSITIVE_INFINITY
  received = 0
  process.send!({ received: true })
}

/** Opens one socket; with a token, settled when the login's state and houses have come. */
async function open(address: string, token: string | null): Promise<void> {
  const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 16 * 1024 * 1024 })
  sockets.push(socket)
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', (code, reason) => reject(new Error(`closed ${code} ${reason}`)))
    if (token === null) {
      socket.on('open', () => resolve())
      return
    }
    let houses = Number.POSITIVE_INFINITY
    socket.on('message', function login(raw: Buffer) {
      const frame = JSON.parse(raw.toString())
      if (frame.op === 1) socket.send(JSON.stringify({ op: 2, d: { token } }))
      if (frame.e === 'INIT_STATE') houses = frame.d.house_ids.length
      if (frame.e === 'HOUSE_JOIN') houses -= 1
      if (houses > 0) return
      socket.off('message', login)
      resolve()
    })
  })
  socket.on('message', count)
  // What is counted or weighed is all of them.
  socket.on('close', (code) => {
    console.error(`a socket of the bench was closed with ${code}`)
    process.exit(1)
  })
}

process.on('message', async (order: Order) => {
  if (order.open) {
    const { origin, path, tokens } = order.open
    const address = `${origin.replace(/^http/, 'ws')}${path}`
    // a few at a time: a thousand logins at once measure the login, not the sockets
    for (let i = 0; i < tokens.length; i += 20) {
      await Promise.all(tokens.slice(i, i + 20).map((token) => open(address, token)))
    }
    process.send!({ opened: true })
  }
  if (order.expect !== undefined) {
    expected = order.expect
    if (received >= expected) report()
  }
})
process.on('disconnect', () => process.exit(0))
