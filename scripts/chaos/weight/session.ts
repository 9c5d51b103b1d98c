import WebSocket from 'ws'

/** Asks for a socket of the gateway, and says no more. */
export const upgradeHead = [
  'GET /socket HTTP/1.1',
  'host: x',
  'upgrade: websocket',
  'connection: upgrade',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version: 13',
  '',
  '',
].join('\r\n')

const openWithinMs = 60_000

type Wish = { token: string; frames: string[]; afterwards: 'stops reading' | 'leaves' }

/** Logs in, waits for the houses, sends the frames. Settles with how it ended: `left`, or what the server closed with. */
export function openSession(port: number, wish: Wish, weigh: (bytes: number) => void): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`)
  let houses = Number.POSITIVE_INFINITY
  socket.on('open', () => socket.send(JSON.stringify({ op: 2, d: { token: wish.token } })))
  socket.on('error', () => {})
  const act = () => {
    for (const frame of wish.frames) socket.send(frame)
    if (wish.afterwards === 'stops reading') socket.pause()
    if (wish.afterwards === 'leaves') socket.close(1000)
  }
  socket.on('message', (bytes: Buffer) => {
    weigh(bytes.length)
    if (houses === 0) return
    // A frame may weigh megabytes: of most of them only the beginning is looked at.
    const head = bytes.toString('latin1', 0, 80)
    if (head.includes('"e":"INIT_STATE"')) houses = JSON.parse(String(bytes)).d.house_ids.length
    if (head.includes('"e":"HOUSE_JOIN"')) houses -= 1
    if (houses === 0) act()
  })
  const late = setTimeout(() => socket.terminate(), openWithinMs)
  return new Promise((resolve) => {
    socket.on('close', (code) => {
      clearTimeout(late)
      resolve(code === 1000 ? 'left' : `closed ${code}`)
    })
  })
}
