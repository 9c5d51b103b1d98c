import type { GatewayEvent, ServerFrame } from './events.ts'
import { canInflate, inflate } from './inflate.ts'

/** The time until the hello, and until the response to a probe. */
const helloTimeoutMs = 20_000
const probeTimeoutMs = 5_000
/** The close code that browsers and Node report for a connection without a close frame. */
const lostCode = 1006
/** In UTF-8, of a character of a string. */
const mostBytesOfCharacter = 3

export type ConnectionOptions = {
  url: string
  WebSocket: typeof WebSocket
  /** Whether the server acknowledges heartbeats; then a missing acknowledgement ends the connection. */
  expectsAcks: boolean
  onHello: () => void
  /** Called with an event and the length of its frame in bytes; of a text, the length that it has at most. */
  onEvent: (event: GatewayEvent, bytes: number) => void
  /** Called once, unless `close` was called before. */
  onEnd: (code: number, reason: string) => void
}

export type Connection = {
  send(frame: { op: number; d?: unknown }): void
  /** Sends a heartbeat now; the connection ends if nothing is received within five seconds. */
  probe(): void
  close(): void
}

/** Opens a websocket to the gateway, sends heartbeats after the hello, and ends it if the server is silent. */
export function openConnection(options: ConnectionOptions): Connection {
  const socket = new options.WebSocket(options.url)
  socket.binaryType = 'arraybuffer'
  /** Settles when the compressed frames received so far have been handled, in their order. */
  let handled = Promise.resolve()
  let isStopped = false
  let heartbeat: ReturnType<typeof setInterval> | undefined
  let timeout = setTimeout(() => end(lostCode, 'no hello'), helloTimeoutMs)
  let hasReceived = true

  function stop(): void {
    isStopped = true
    clearInterval(heartbeat)
    clearTimeout(timeout)
    socket.onmessage = socket.onclose = null
    socket.close()
  }
  function end(code: number, reason: string): void {
    if (isStopped) return
    stop()
    options.onEnd(code, reason)
  }
  function send(frame: { op: number; d?: unknown }): void {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
  }
  function beat(): void {
    if (options.expectsAcks && !hasReceived) end(lostCode, 'no heartbeat ack')
    else sendHeartbeat()
  }
  function sendHeartbeat(): void {
    hasReceived = false
    send({ op: 3 })
  }
  function probe(): void {
    if (!options.expectsAcks || heartbeat === undefined) return
    sendHeartbeat()
    clearTimeout(timeout)
    timeout = setTimeout(() => {
      if (!hasReceived) end(lostCode, 'no answer')
    }, probeTimeoutMs)
  }

  function handle(text: string, bytes: number): void {
    if (isStopped) return
    const frame = JSON.parse(text) as ServerFrame
    if (frame.op === 0) options.onEvent(frame, bytes)
    if (frame.op !== 1) return
    clearTimeout(timeout)
    heartbeat = setInterval(beat, frame.d.hbt_int)
    options.onHello()
  }
  async function handleNext(frame: ReturnType<typeof inflate>): Promise<void> {
    try {
      const { text, bytes } = await frame
      handle(text, bytes)
    } catch {
      end(lostCode, 'unreadable frame')
    }
  }

  socket.onmessage = ({ data }) => {
    hasReceived = true
    if (typeof data === 'string') return handle(data, data.length * mostBytesOfCharacter)
    const frame = inflate(data as ArrayBuffer)
    frame.catch(() => {})
    handled = handled.then(() => handleNext(frame))
  }
  // Frames that came before the close are handled first.
  socket.onclose = ({ code, reason }) => void handled.then(() => end(code, reason))
  // A close event follows. The handler is needed because the package ws throws errors without a listener.
  socket.onerror = () => {}
  return { send, probe, close: stop }
}

/** Where the gateway of a server is; in zlib mode if that is wanted, and possible here. */
export function socketUrl(address: string, wantsCompressed: boolean): string {
  const { location } = globalThis as { location?: { origin: string } }
  const origin = address === '' && location ? location.origin : address
  const query = wantsCompressed && canInflate() ? '?compression=zlib' : ''
  return `${origin.replace(/^http/, 'ws').replace(/\/+$/, '')}/v1/socket${query}`
}
