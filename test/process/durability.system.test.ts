import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startServer } from '../support/server.ts'

const folder = await mkdtemp(join(tmpdir(), 'hearth-durability-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

// biome-ignore lint/suspicious/noExplicitAny: what the server answers is what the test finds out
async function post(url: string, token: string | null, body: unknown): Promise<any> {
  const headers = { 'content-type': 'application/json', ...(token ? { authorization: token } : {}) }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { data: unknown }).data
}

test('a server killed during writes has everything it acknowledged after its restart', async () => {
  const first = await startServer(folder)
  const account = { email: 'ann@example.org', username: 'ann', password: 'correct horse' }
  const { token } = await post(`${first.origin}/auth/register`, null, account)
  const house = await post(`${first.origin}/houses`, token, { name: 'Den' })
  const acknowledged: string[] = []
  let killed: Promise<unknown> | undefined
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let n = 0; ; n += 1) {
      const body = { content: `${writer}-${n}` }
      const message = await post(`${first.origin}/rooms/${house.rooms[0].id}/messages`, token, body)
      acknowledged.push(message.id)
      if (acknowledged.length >= 200) killed ??= first.end('SIGKILL')
    }
  })
  await Promise.allSettled(writers)
  await killed

  const second = await startServer(folder)
  try {
    const headers = { authorization: token }
    const own = await fetch(`${second.origin}/users/@me`, { headers })
    expect(own.status).toBe(200)
    const lost = []
    for (const id of acknowledged) {
      const url = `${second.origin}/rooms/${house.rooms[0].id}/messages/${id}`
      await expect.poll(async () => (await fetch(url, { headers })).status).not.toBe(503)
      if ((await fetch(url, { headers })).status !== 200) lost.push(id)
    }
    expect(lost).toEqual([])
  } finally {
    expect(await second.end('SIGTERM')).toBe(0)
  }
})
