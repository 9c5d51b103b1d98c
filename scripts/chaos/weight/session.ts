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

/** The pause with which as many frames are sent in a minute as the gateway allows. */
const repeatEveryMs = 510

type Wish = { token: string; frames: string[]; afterwards: Afterwards }
/** `reads` sends the frames over and over, `resumes` leaves and resumes over and over. */
export type Afterwards = 'stops reading' | 'leaves' | 'reads' | 'resumes'

/** Logs in, waits for the houses, sends the frames. Settles with how it ended: `left`, or what the server closed with. */
export async function openSession(port: number, wish: Wish, weigh: (bytes: number) => void): Promise<string> {
  const { end, point } = await logIn(port, wish, weigh)
  if (wish.afterwards !== 'resumes' || end !== 'left') return end
  for (;;) {
    const again = await resume(port, wish.token, point)
    if (again !== 'left') return again
  }
}

/** The session id and the `seq` of the last event. */
type Point = { session_id: string; seq: number }

/** Resumes a session, and leaves. */
function resume(port: number, token: string, point: Point): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`)
  socket.on('open', () => socket.send(JSON.stringify({ op: 11, d: { token, ...point } })))
  socket.on('error', () => {})
  socket.on('message', (bytes: Buffer) => {
    if (bytes.includes('"e":"RESUMED"')) socket.close(1000)
  })
  return new Promise((resolve) => {
    socket.on('close', (code) => resolve(code === 1000 ? 'left' : `closed ${code}`))
  })
}

function logIn(
  port: number,
  wish: Wish,
  weigh: (bytes: number) => void,
): Promise<{ end: string; point: Point }> {
  const point = { session_id: '', seq: 0 }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`)
  let houses = Number.POSITIVE_INFINITY
  socket.on('open', () => socket.send(JSON.stringify({ op: 2, d: { token: wish.token } })))
  socket.on('error', () => {})
  const act = () => {
    for (const frame of wish.frames) socket.send(frame)
    if (wish.afterwards === 'stops reading') socket.pause()
    if (wish.afterwards === 'leaves' || wish.afterwards === 'resumes') socket.close(1000)
    if (wish.afterwards === 'reads') repeat()
  }
  socket.on('message', (bytes: Buffer) => {
    weigh(bytes.length)
    if (houses === 0) return
    // A frame may weigh megabytes: of most of them only the beginning is looked at.
    const head = bytes.toString('latin1', 0, 80)
    point.seq = Number(/"seq":(\d+)/.exec(head)?.[1] ?? point.seq)
    if (head.includes('"e":"INIT_STATE"')) {
      const { d } = JSON.parse(String(bytes))
      point.session_id = d.session_id
      houses = d.house_ids.length
    }
    if (head.includes('"e":"HOUSE_JOIN"')) houses -= 1
    if (houses === 0) {
      clearTimeout(late)
      act()
    }
  })
  let turn = 0
  let repeating: NodeJS.Timeout | undefined
  const repeat = () => {
    if (wish.frames.length === 0) return
    repeating = setInterval(() => socket.send(wish.frames[turn++ % wish.frames.length]!), repeatEveryMs)
  }
  const late = setTimeout(() => socket.terminate(), openWithinMs)
  return new Promise((resolve) => {
    socket.on('close', (code) => {
      clearTimeout(late)
      clearInterval(repeating)
      resolve({ end: code === 1000 ? 'left' : `closed ${code}`, point })
    })
  })
}
