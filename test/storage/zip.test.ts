import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { streamZip, type ZipEntry } from '../../src/storage/zip.ts'
import { unzip } from '../support/zip.ts'

test('an archive is made as fast as it is read', async () => {
  let produced = 0
  let isOver = false
  async function* endless(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        produced += 1
        yield Buffer.alloc(65_536)
      }
    } finally {
      isOver = true
    }
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { name: 'endless', content: endless(), isPacked: true }
  }
  const archive = streamZip(entries())
  await new Promise((resolve) => archive.once('readable', resolve))
  const before = produced
  // Many turns of the event loop, in which nobody reads.
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate)
  expect(produced).toBeLessThan(20)
  expect(produced - before).toBeLessThan(10)
  archive.destroy()
  await vi.waitFor(() => expect(isOver).toBe(true))
})

test('an archive fails as its entries do', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'half'
    throw new Error('the rest is missing')
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { name: 'broken', content: broken() }
  }
  await expect(buffer(streamZip(entries()))).rejects.toThrow('the rest is missing')
})

test('an archive holds text, streams and nothing', async () => {
  async function* none(): AsyncGenerator<string> {}
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { name: 'empty', content: none() }
    yield { name: 'folder/stream', content: Readable.from([Buffer.from('a'), Buffer.from('b')]) }
  }
  expect(await unzip(await buffer(streamZip(entries())))).toEqual({ empty: '', 'folder/stream': 'ab' })
})
