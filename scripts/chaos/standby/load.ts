import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../../../test/support/server.ts'
import { ask, type Person } from '../support/people.ts'

const sendersOfServer = 4
const restMs = 5
const givenUpAfterMs = 15_000

/** A message that was acknowledged: by which server, when, and when it was first sent. */
type Acknowledged = { id: string; server: Server; sentAt: number; at: number }

/** The answers that must not come: anything but success, and a 503 that says when to try again. */
export type Load = {
  room: string
  readonly acknowledged: Acknowledged[]
  refused: number
  slowestMs: number
  readonly wrong: string[]
  end(): Promise<void>
}

/** Sends messages to one room over all servers, each again with its nonce until it is acknowledged. */
export async function beginLoad(servers: readonly Server[], ann: Person): Promise<Load> {
  const house = await ask(servers[0]!.origin, ann.token, 'POST', '/houses', { name: 'Den' })
  const room: string = house.rooms[0].id
  let isOver = false
  let last = 0
  const load: Load = { room, acknowledged: [], refused: 0, slowestMs: 0, wrong: [], end }

  async function request(server: Server, method: string, path: string, body?: object) {
    const started = performance.now()
    const headers = { authorization: ann.token, ...(body && { 'content-type': 'application/json' }) }
    const signal = AbortSignal.timeout(givenUpAfterMs)
    try {
      const options = { method, headers, signal, body: body && JSON.stringify(body) }
      const answer = await fetch(`${server.origin}${path}`, options)
      const text = await answer.text()
      const { status } = answer
      if (status === 503) load.refused += 1
      if (status === 503 && answer.headers.get('retry-after') === null)
        load.wrong.push('a 503 had no Retry-After')
      if (status !== 200 && status !== 503)
        load.wrong.push(`${method} ${path} was answered ${status} ${text}`)
      return status === 200 ? JSON.parse(text).data : undefined
    } catch (error) {
      load.wrong.push(`${method} ${path} was not answered: ${error} ${(error as Error).cause}`)
    } finally {
      load.slowestMs = Math.max(load.slowestMs, performance.now() - started)
    }
  }

  async function send(server: Server): Promise<void> {
    last += 1
    const body = { content: `message ${last}`, nonce: `n${last}` }
    while (!isOver) {
      const sentAt = performance.now()
      const message = await request(server, 'POST', `/rooms/${room}/messages`, body)
      if (message) load.acknowledged.push({ id: message.id, server, sentAt, at: performance.now() })
      if (message) return
      await pause(restMs)
    }
  }

  const kinds = servers.flatMap((server) => [
    ...Array.from({ length: sendersOfServer }, () => () => send(server)),
    () => request(server, 'PATCH', '/users/@me', { bio: `at ${Date.now()}` }),
    () => request(server, 'GET', `/rooms/${room}/messages`),
  ])
  const workers = kinds.map(async (kind) => {
    while (!isOver) {
      await kind()
      await pause(restMs)
    }
  })

  async function end(): Promise<void> {
    isOver = true
    await Promise.all(workers)
  }
  return load
}
