import type { GatewayEvent, ServerFrame } from './events.ts'

/** How long the server may take until its hello, and for an answer to a probe. */
const helloTimeoutMs = 20_000
const probeTimeoutMs = 5_000
/** What browsers and Node report for a connection that ended without a close frame. */
const lostCode = 1006

export type ConnectionOptions = {
  url: string
  WebSocket: typeof WebSocket
  /** The server acknowledges heartbeats, so that one that does not is gone. */
  expectsAcks: boolean
  onHello: () => void
  onEvent: (event: GatewayEvent) => void
  /** Called once, unless `close` was called before. */
  onEnd: (code: number, reason: string) => void
}

export type Connection = {
  send(frame: { op: number; d?: unknown }): void
  /** Asks for an answer now; the connection ends if none comes within seconds. */
  probe(): void
  close(): void
}

/** Opens one websocket to the gateway: sends heartbeats from the hello on, and gives up when the server is silent. */
export function openConnection(options: ConnectionOptions): Connection {
  const socket = new options.WebSocket(options.url)
  let heartbeat: ReturnType<typeof setInterval> | undefined
  let patience = setTimeout(() => end(lostCode, 'no hello'), helloTimeoutMs)
  let hasHeard = true

  function stop(): void {
    clearInterval(heartbeat)
    clearTimeout(patience)
    socket.onmessage = socket.onclose = null
    socket.close()
  }
  function end(code: number, reason: string): void {
    stop()
    options.onEnd(code, reason)
  }
  function send(frame: { op: number; d?: unknown }): void {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
  }
  function beat(): void {
    if (options.expectsAcks && !hasHeard) end(lostCode, 'no heartbeat ack')
    else ask()
  }
  function ask(): void {
    hasHeard = false
    send({ op: 3 })
  }
  function probe(): void {
    if (!options.expectsAcks || heartbeat === undefined) return
    ask()
    clearTimeout(patience)
    patience = setTimeout(() => {
      if (!hasHeard) end(lostCode, 'no answer')
    }, probeTimeoutMs)
  }

  socket.onmessage = ({ data }) => {
    hasHeard = true
    const frame = JSON.parse(String(data)) as ServerFrame
    if (frame.op === 0) return options.onEvent(frame)
    if (frame.op !== 1) return
    clearTimeout(patience)
    heartbeat = setInterval(beat, frame.d.hbt_int)
    options.onHello()
  }
  socket.onclose = ({ code, reason }) => end(code, reason)
  // The close that follows says the same. (The sockets of the package ws throw errors that nobody listens to.)
  socket.onerror = () => {}
  return { send, probe, close: stop }
}
