import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { sumOf } from '../support/metrics.ts'
import { startServer, statusOf, workersOf } from '../support/server.ts'
import { databaseUrl, folder } from '../support/world.ts'

describe.runIf(process.platform === 'linux')('of several processes', () => {
  test('a stop does not replace a worker that has just ended', async () => {
    const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl, WORKERS: '2' } })
    const [dying, staying] = workersOf(server)
    process.kill(staying!, 'SIGSTOP')
    server.child.kill('SIGSTOP')
    process.kill(dying!, 'SIGKILL')
    server.child.kill('SIGTERM')
    server.child.kill('SIGCONT')
    const seen = new Set<number>()
    for (let round = 0; round < 30; round += 1) {
      for (const id of workersOf(server)) seen.add(id)
      await pause(50)
    }
    process.kill(staying!, 'SIGCONT')
    expect(await server.end('SIGTERM')).toBe(0)
    seen.delete(dying!)
    expect([...seen]).toEqual([staying])
  })

  test('a stop that hangs ends with 1 after nine seconds', async () => {
    const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl, WORKERS: '2' } })
    const [hanging] = workersOf(server)
    process.kill(hanging!, 'SIGSTOP')
    const started = Date.now()
    expect(await server.end('SIGTERM')).toBe(1)
    process.kill(hanging!, 'SIGKILL')
    expect(Date.now() - started).toBeLessThan(20_000)
  })

  test('a worker that ends while it collects metrics does not shorten the stop', async () => {
    const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl, WORKERS: '2' } })
    const workers = await vi.waitFor(async () => {
      const { length } = workersOf(server)
      const text = await (await fetch(`${server.origin}/metrics`)).text()
      expect([length, sumOf(text, 'hearth_processes')]).toEqual([2, 2])
      return workersOf(server)
    }, 60_000)
    const [dying, answering] = workers
    const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true }))
    // Both have loaded what an answer needs, and there is a connection to each.
    await Promise.all(agents.map((agent) => statusOf(server, '/metrics', agent)))
    for (const id of workers) process.kill(id, 'SIGSTOP')
    server.child.kill('SIGTERM')
    await vi.waitFor(() => expect(isToldToEnd(dying!)).toBe(true), 60_000)
    server.child.kill('SIGSTOP')
    process.kill(answering!, 'SIGCONT')
    const asked = agents.map((agent) => statusOf(server, '/metrics', agent))
    await pause(700)
    process.kill(dying!, 'SIGKILL')
    await pause(200)
    server.child.kill('SIGCONT')
    expect(await server.end('SIGTERM')).toBe(0)
    await Promise.all(asked)
    for (const agent of agents) agent.destroy()
  })
})

/** Whether a SIGTERM waits for a process that is stopped. */
function isToldToEnd(id: number): boolean {
  const [, pending] = /^ShdPnd:\s+([0-9a-f]+)$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))!
  return (Number.parseInt(pending!, 16) & 0x4000) !== 0
}
