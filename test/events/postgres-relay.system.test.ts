import { expect, onTestFinished, test, vi } from 'vitest'
import { listening, openRelayAt, postgres } from '../support/relays.ts'
import { detour, openTcpProxy } from '../support/tcp-proxy.ts'
import { databaseUrl } from '../support/world.ts'

test('a process receives messages again after its connection is reopened', async () => {
  const way = detour(databaseUrl)
  const proxy = await openTcpProxy(way.target)
  onTestFinished(() => proxy.close())
  const { received } = await listening(() => openRelayAt(way.through(proxy.port)))
  const sender = await listening(postgres.open)
  await proxy.set('refuse')
  await sender.relay.send('meanwhile')
  await proxy.set('fine')
  await vi.waitFor(async () => {
    await sender.relay.send('after')
    expect(received).toContain('after')
  }, 30_000)
  expect(received).not.toContain('meanwhile')
})
