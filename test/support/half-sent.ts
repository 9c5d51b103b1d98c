import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { portOf } from './gateway.ts'
import type { Person } from './world.ts'

/** A request of which the headers and a part of the body were sent. */
export type HalfSent = {
  /** The answer so far. */
  answer(): string
  /** The answer once the connection has ended. */
  ended: Promise<string>
  /** Sends the rest of the body. Returns `ended`. */
  finish(): Promise<string>
}

type Sent = { caller?: Person; type?: string; body: string; rest: string }

/** Sends a request without the `rest` of its body. */
export function sendHalf(app: FastifyInstance, route: string, { caller, type, body, rest }: Sent): HalfSent {
  const socket = connect(portOf(app), '127.0.0.1').setEncoding('utf8')
  let answer = ''
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(answer)))
  socket
    .on('error', () => {})
    .on('data', (text) => {
      answer += text
    })
  const head = [
    `${route} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    ...(caller ? [`Authorization: ${caller.token}`] : []),
    `Content-Type: ${type ?? 'application/json'}`,
    `Content-Length: ${body.length + rest.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return {
    answer: () => answer,
    ended,
    finish() {
      socket.write(rest)
      return ended
    },
  }
}

const padding = 20_000

/** Sends half of a JSON body with these fields, and waits until the server has found the caller and reads the body. */
export async function sendHalfOfJson(
  app: FastifyInstance,
  caller: Person,
  route: string,
  fields: object,
): Promise<HalfSent> {
  const before = app.bodies.bytes
  const body = `{"padding":"${'x'.repeat(padding)}",`
  const request = sendHalf(app, route, { caller, body, rest: JSON.stringify(fields).slice(1) })
  // The server counts a body of this size while it is received, which begins after the caller was found.
  await expect.poll(() => app.bodies.bytes).toBeGreaterThan(before + padding)
  return request
}
