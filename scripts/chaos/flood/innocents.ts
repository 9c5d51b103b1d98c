import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Person } from '../support/people.ts'

/** One answer that an innocent got, or waits for; status 0: none came. */
export type Seen = { status: number | 'waits'; ms: number }

/** Each asks about ten times a second. */
const restMs = 80
/** A wait that has lasted so long is reported before it ends. */
const worthTellingMs = 300
const givenUpAfterMs = 10_000
/** Where they come from; the attacks come from 127.0.0.1. */
const localAddress = '127.0.0.2'

/** People who use the service as people do, from another address than the attacker's, until `stop`. */
export function begin(port: number, people: readonly Person[], room: string) {
  const seen: Seen[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: people.length, localAddress })
  const pending = new Set<number>()
  let stopped = false

  function ask(person: Person, method: string, path: string, body?: object): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const started = performance.now()
    pending.add(started)
    const done = (status: number) => {
      pending.delete(started)
      seen.push({ status, ms: performance.now() - started })
      resolve()
    }
    const payload = body && JSON.stringify(body)
    const headers = {
      authorization: person.token,
      ...(payload
        ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
        : {}),
    }
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers, agent, timeout: givenUpAfterMs },
      (answer) => {
        answer.resume()
        answer.on('end', () => done(answer.statusCode!))
        answer.on('error', () => done(0))
      },
    )
    request.on('timeout', () => request.destroy())
    request.on('error', () => done(0))
    request.end(payload)
    return promise
  }

  const workers = people.map(async (person, index) => {
    for (let n = index; !stopped; n += 1) {
      if (n % 3 === 0) await ask(person, 'GET', '/users/@me')
      if (n % 3 === 1) await ask(person, 'GET', `/rooms/${room}/messages?limit=50`)
      if (n % 3 === 2) await ask(person, 'POST', `/rooms/${room}/messages`, { content: 'as usual' })
      await pause(restMs)
    }
  })
  return {
    /** What was seen since it was last asked for, and how long others wait already. */
    take() {
      const now = performance.now()
      const waiting = [...pending].map((started) => ({ status: 'waits' as const, ms: now - started }))
      return [...seen.splice(0), ...waiting.filter(({ ms }) => ms > worthTellingMs)]
    },
    async stop() {
      stopped = true
      await Promise.all(workers)
      agent.destroy()
    },
  }
}
