import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../../../test/support/server.ts'
import { addPerson, ask, type Person } from '../support/people.ts'
import type { Stage } from '../support/stage.ts'

/** One answer: of what kind of request, when it came, and how long it took. Status 0: none came. */
export type Sample = {
  kind: string
  status: number
  at: number
  ms: number
  retryAfter: string | null
  text: string
}

const password = 'correct horse'
/** So that a server that refuses at once is not asked thousands of times. */
const restMs = 15
/** As much as soon takes a page of its own in the table: few small ones would find room on a disk that is full. */
const contentBytes = 1_500
const givenUpAfterMs = 15_000

/** Sends requests of all kinds until stopped; then returns the nonces of the acknowledged messages. */
export async function beginLoad(stage: Stage, server: Server) {
  const samples: Sample[] = []
  const acknowledged: string[] = []
  let stopped = false
  const ann = await addPerson(stage.db)
  const house = await ask(server.origin, ann.token, 'POST', '/houses', { name: 'Den' })
  const room = house.rooms[0].id
  const resident = { email: 'resident@example.org', username: 'resident', password }
  await ask(server.origin, null, 'POST', '/auth/register', resident)
  let last = 0
  const next = () => {
    last += 1
    return last
  }

  async function request(kind: string, method: string, path: string, person: Person | null, body?: unknown) {
    const started = performance.now()
    const headers = {
      ...(person ? { authorization: person.token } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    }
    const sample = await fetch(`${server.origin}${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(givenUpAfterMs),
    }).then(
      async (answer) => ({
        status: answer.status,
        retryAfter: answer.headers.get('retry-after'),
        text: (await answer.text()).slice(0, 300),
      }),
      (error: Error) => ({ status: 0, retryAfter: null, text: `${error.message} ${String(error.cause)}` }),
    )
    const at = performance.now()
    samples.push({ kind, ...sample, at, ms: at - started })
    return sample
  }

  /** Each message is sent with its nonce until it is acknowledged. */
  async function send(): Promise<void> {
    const nonce = `n${next()}`
    for (;;) {
      const body = { content: randomBytes(contentBytes).toString('base64'), nonce }
      const { status } = await request('send', 'POST', `/rooms/${room}/messages`, ann, body)
      if (status === 200) acknowledged.push(nonce)
      if (status === 200 || stopped) return
      await pause(restMs)
    }
  }

  const kinds: (() => Promise<unknown>)[] = [
    send,
    send,
    () => request('history', 'GET', `/rooms/${room}/messages`, ann),
    () => request('own user', 'GET', '/users/@me', ann),
    () => request('edit of the profile', 'PATCH', '/users/@me', ann, { bio: `at ${Date.now()}` }),
    () => request('login', 'POST', '/auth/login', null, { login: 'resident', password }),
    () => {
      const username = `new${next()}`
      return request('register', 'POST', '/auth/register', null, {
        email: `${username}@example.org`,
        username,
        password,
      })
    },
  ]
  const workers = kinds.map(async (kind) => {
    while (!stopped) {
      await kind()
      await pause(restMs)
    }
  })
  return {
    samples,
    async end(): Promise<string[]> {
      stopped = true
      await Promise.all(workers)
      return acknowledged
    },
  }
}
