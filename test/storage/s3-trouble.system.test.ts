import { Readable } from 'node:stream'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailable } from '../../src/errors.ts'
import { openStore } from '../../src/storage/open.ts'
import { startS3Double } from '../support/s3-double.ts'

vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
const double = await startS3Double()
afterAll(() => double.stop())
const store = await openStore(`s3://bucket?endpoint=${double.endpoint}`)
const big = Buffer.alloc(20 * 1024 * 1024, 'abc')

test.each([500, 403, 'no answer'] as const)(
  'an S3 in trouble (%s) is away within seconds, and back with its next answer',
  { timeout: 30_000 },
  async (kind) => {
    await store.write('e/1', Buffer.from('kept'))
    const found = await store.find('e/1')
    double.trouble.with = kind
    onTestFinished(() => {
      double.trouble.with = undefined
    })
    const uses = [
      store.find('e/1'),
      found!.open(),
      store.remove('e/1'),
      store.list()[Symbol.asyncIterator]().next(),
      store.write('e/2', Buffer.from('not kept')),
      store.write('e/3', Readable.from([big])),
    ]
    const ended = await Promise.all(uses.map((use) => use.catch((error: unknown) => error)))
    for (const error of ended) expect(error).toBeInstanceOf(StoreUnavailable)
    double.trouble.with = undefined
    expect((await store.find('e/1'))?.size).toBe(4)
  },
)
