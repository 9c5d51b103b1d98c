import fs, { readlinkSync } from 'node:fs'
import { mkdtemp, open, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailable } from '../../src/errors.ts'
import { openStore } from '../../src/storage/open.ts'
import { startS3Double } from '../support/s3-double.ts'

vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
const double = await startS3Double()
const folder = await mkdtemp(join(tmpdir(), 'hearth-store-'))
afterAll(async () => {
  await double.stop()
  await rm(folder, { recursive: true, force: true })
})

const mib = 1024 * 1024
const stores = {
  folder: await openStore(pathToFileURL(folder).href),
  S3: await openStore(`s3://bucket/some/prefix?region=eu-west-1&endpoint=${double.endpoint}`),
}
const big = Buffer.alloc(20 * mib, 'abc')
const inChunks = (bytes: Buffer) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
    })(),
  )

describe.each(Object.entries(stores))('a store in %s', (_kind, store) => {
  test.each([
    ['a buffer', Buffer.from('bytes'), (bytes: Buffer) => bytes],
    ['a short stream', Buffer.from('stream'), inChunks],
    ['an empty stream', Buffer.alloc(0), inChunks],
    ['a stream of 20 MiB', big, inChunks],
  ])('%s is found as it was written, whole and in a range', async (name, bytes, content) => {
    await store.write(`a/${name}`, content(bytes))
    const found = await store.find(`a/${name}`)
    expect(found?.size).toBe(bytes.length)
    expect((await buffer(await found!.open())).equals(bytes)).toBe(true)
    if (bytes.length === 0) return
    const range = await buffer(await found!.open({ start: 1, end: 3 }))
    expect(range.equals(bytes.subarray(1, 4))).toBe(true)
  })

  test('a file written again is the new one, and a removed one is not found', async () => {
    await store.write('b/1', Buffer.from('old'))
    await store.write('b/1', Buffer.from('newer'))
    expect((await store.find('b/1'))?.size).toBe(5)
    await store.remove('b/1')
    await store.remove('b/1')
    await store.remove('no/such')
    expect(await store.find('b/1')).toBeUndefined()
  })

  test('every file is listed by its whole name, and one that is removed is not', async () => {
    for (const name of ['list/1', 'list/2', 'list/deep/er/3']) await store.write(name, Buffer.from(name))
    await store.remove('list/2')
    const names: string[] = []
    for await (const name of store.list()) names.push(name)
    expect(names.filter((name) => name.startsWith('list/')).sort()).toEqual(['list/1', 'list/deep/er/3'])
  })

  test('a stream that breaks leaves no file', async () => {
    const breaking = Readable.from(
      (async function* () {
        yield Buffer.alloc(9 * mib)
        throw new Error('the client went away')
      })(),
    )
    await expect(store.write('c/1', breaking)).rejects.toThrow('went away')
    expect(await store.find('c/1')).toBeUndefined()
    expect(double.uploads.size).toBe(0)
  })
})

test('in a folder, a file on its way is not listed, and nothing is left of one that breaks', async () => {
  const listed: string[] = []
  let present: string[] = []
  const breaking = Readable.from(
    (async function* () {
      yield Buffer.from('half')
      for await (const name of stores.folder.list()) listed.push(name)
      present = await readdir(join(folder, 'g'))
      throw new Error('the client went away')
    })(),
  )
  await expect(stores.folder.write('g/1', breaking)).rejects.toThrow('went away')
  expect(present).toHaveLength(1)
  expect(listed.filter((name) => name.startsWith('g/'))).toEqual([])
  expect(await readdir(join(folder, 'g'))).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'in a folder, a new file outlives a power cut: it is synced, then its folder, and those above that were made',
  async () => {
    const handle = await open(folder)
    await handle.close()
    const synced: string[] = []
    const note = (fd: number) => synced.push(relative(folder, readlinkSync(`/proc/self/fd/${fd}`)))
    const ofContent = vi.spyOn(fs, 'fsync').mockImplementation((fd, done) => {
      note(fd)
      done(null)
    })
    const ofFolder = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(async function (
      this: typeof handle,
    ) {
      note(this.fd)
    } as () => Promise<void>)
    onTestFinished(() => {
      ofContent.mockRestore()
      ofFolder.mockRestore()
    })
    await stores.folder.write('m/deep/1', Buffer.from('x'))
    expect(synced).toEqual([expect.stringMatching(/^m\/deep\/1\.[0-9-]+\.part$/), 'm/deep', 'm', ''])
    await stores.folder.write('m/deep/2', Buffer.from('x'))
    expect(synced.slice(4)).toEqual([expect.stringMatching(/^m\/deep\/2\./), 'm/deep'])
  },
)

test('in a folder, a file that cannot be looked up is not a missing one', async () => {
  await symlink('loop', join(folder, 'loop'))
  onTestFinished(() => rm(join(folder, 'loop')))
  await expect(stores.folder.find('loop')).rejects.toThrow('ELOOP')
})

test('in a folder, one name may be written several times at once', async () => {
  await Promise.all(Array.from({ length: 8 }, () => stores.folder.write('h/1', inChunks(big))))
  expect((await stores.folder.find('h/1'))?.size).toBe(big.length)
  expect(await readdir(join(folder, 'h'))).toEqual(['1'])
})

test.each(['ENOSPC', 'EDQUOT', 'EROFS'])(
  'a write that fails with %s throws StoreUnavailable',
  async (code) => {
    const stop = Object.assign(new Error('no more'), { code })
    const refused = Readable.from(
      (async function* () {
        yield Buffer.from('half')
        throw stop
      })(),
    )
    await expect(stores.folder.write('i/1', refused)).rejects.toBeInstanceOf(StoreUnavailable)
  },
)

test('in S3, a bucket may be used without a prefix, and slashes around one are of no account', async () => {
  // By a name, to which the library would by itself put that of the bucket in front.
  const endpoint = double.endpoint.replace('127.0.0.1', 'localhost')
  const at = (path: string) => openStore(`s3://other${path}?endpoint=${endpoint}`)
  for (const [path, key] of [
    ['', '/other/j/1'],
    ['/', '/other/j/1'],
    ['/deep/', '/other/deep/j/1'],
  ] as const) {
    double.objects.delete(key)
    const store = await at(path)
    await store.write('j/1', Buffer.from('here'))
    expect(double.objects.has(key)).toBe(true)
    const names: string[] = []
    for await (const name of store.list()) names.push(name)
    expect(names).toContain('j/1')
  }
})

test('in S3, a removed name takes along the parts of its uploads that broke off, and of no other', async () => {
  double.trouble.with = 500
  double.trouble.at = (url) => url.includes('uploadId=')
  onTestFinished(() => {
    double.trouble.with = undefined
    double.trouble.at = () => true
    double.uploads.clear()
  })
  for (const name of ['k/1', 'k/10']) {
    await expect(stores.S3.write(name, inChunks(big))).rejects.toBeInstanceOf(StoreUnavailable)
  }
  double.trouble.with = undefined
  await stores.S3.remove('k/1')
  expect([...double.uploads.values()].map(({ key }) => key)).toEqual(['/bucket/some/prefix/k/10'])
  double.trouble.with = 501
  double.trouble.at = (url) => url.includes('?uploads')
  await stores.S3.write('k/10', Buffer.from('whole'))
  await stores.S3.remove('k/10')
  expect(await stores.S3.find('k/10')).toBeUndefined()
})

test('in S3, a request that fails once is made again, and many who read slowly stop no others', async () => {
  await stores.S3.write('l/1', big)
  let asked = 0
  double.trouble.with = 500
  double.trouble.at = () => asked++ === 0
  onTestFinished(() => {
    double.trouble.with = undefined
    double.trouble.at = () => true
  })
  const found = await stores.S3.find('l/1')
  const slow = await Promise.all(Array.from({ length: 60 }, () => found!.open()))
  expect((await stores.S3.find('l/1'))?.size).toBe(big.length)
  for (const each of slow) each.destroy()
})

test('in S3, names lie under the prefix, and a long stream goes up part by part', async () => {
  double.seen.length = 0
  await stores.S3.write('d/1', inChunks(big))
  expect(double.objects.has('/bucket/some/prefix/d/1')).toBe(true)
  const parts = double.seen.filter((each) => each.startsWith('PUT part'))
  expect(parts).toHaveLength(3)
  for (const part of parts) expect(Number(part.split(' ').at(-1))).toBeLessThan(9 * mib)
})
