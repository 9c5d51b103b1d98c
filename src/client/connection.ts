import type { GatewayEvent, ServerFrame } from './events.ts'

/** The time until the hello, and until the response to a probe. */
const helloTimeoutMs = 20_000
const probeTimeoutMs = 5_000
/** The close code that browsers and Node report for a connection without a close frame. */
const lostCode = 1006

export type ConnectionOptions = {
  url: string
  WebSocket: typeof WebSocket
  /** Whether the server acknowledges heartbeats; then a missing acknowledgement ends the connection. */
  expectsAcks: boolean
  onHello: () => void
  onEvent: (event: GatewayEvent) => void
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
  let heartbeat: ReturnType<typeof setInterval> | undefined
  let timeout = setTimeout(() => end(lostCode, 'no hello'), helloTimeoutMs)
  let hasReceived = true

  function stop(): void {
    clearInterval(heartbeat)
    clearTimeout(timeout)
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

  socket.onmessage = ({ data }) => {
    hasReceived = true
    const frame = JSON.parse(String(data)) as ServerFrame
    if (frame.op === 0) return options.onEvent(frame)
    if (frame.op !== 1) return
    clearTimeout(timeout)
    heartbeat = setInterval(beat, frame.d.hbt_int)
    options.onHello()
  }
  socket.onclose = ({ code, reason }) => end(code, reason)
  // A close event follows. The handler is needed because the package ws throws errors without a listener.
  socket.onerror = () => {}
  return { send, probe, close: stop }
}
