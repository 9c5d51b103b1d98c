import { hash } from 'node:crypto'
import { type ClientContext, Redis, type RedisOptions, type Result } from 'ioredis'
import { stallTolerantTimeout } from '../../concurrency/stall-tolerant-timeout.ts'
import { bucketScript } from './bucket-script.ts'
import type { SharedBuckets, SharedBucketsListener, Take } from './shared-buckets.ts'
import { missingTokens, type Taken } from './token-buckets.ts'

declare module 'ioredis' {
  interface RedisCommander<Context extends ClientContext> {
    takeTokens(keyCount: number, ...given: (string | number)[]): Result<(string | number)[], Context>
  }
}

/** The most time that a request waits for Redis. */
const answerTimeoutMs = 1_000
/** How long after a failure Redis is tried again. */
const retryMs = 1_000

const options: RedisOptions = {
  connectTimeout: 2_000,
  socketTimeout: 2_000,
  retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  lazyConnect: true,
  // What cannot be sent now, or is not answered, is counted by the process itself.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  scripts: { takeTokens: { lua: bucketScript } },
}

/** A bucket that shows whether Redis can write. */
const trial: Take = { name: 'trial', limit: { burst: 1_000, refillMs: 1 }, key: '', count: 1 }

/**
 * Buckets in the Redis or Valkey at `url`. After a failure no count is sent there until a trial in the background has
 * succeeded. Settles once it is known whether they are available.
 */
export async function openRedisBuckets(url: string, listener: SharedBucketsListener): Promise<SharedBuckets> {
  const connection = new Redis(url, options)
  /** How to give up the counts that are not answered yet. */
  const waiting = new Set<() => void>()
  let [isAvailable, isInOutage, isClosed] = [false, false, false]
  let [outages, missed] = [0, 0]
  let reason: unknown
  let timer: NodeJS.Timeout | undefined
  let trying: Promise<void> | undefined

  async function send(takes: readonly Take[]): Promise<Taken[]> {
    const numbers = takes.flatMap(({ limit, count }) => [limit.burst, limit.refillMs, count])
    return readTaken(takes, await connection.takeTokens(takes.length, ...takes.map(keyOf), ...numbers))
  }

  function fail(error: unknown): void {
    isAvailable = false
    if (isClosed) return
    timer ??= setTimeout(tryAgain, retryMs).unref()
    if (isInOutage) return
    isInOutage = true
    outages += 1
    listener.began(error)
    for (const giveUp of waiting) giveUp()
  }

  function tryAgain(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    trying ??= send([trial])
      .then(succeed, (error) => fail(reason ?? error))
      .finally(() => {
        trying = undefined
      })
    return trying
  }

  function succeed(): void {
    if (isInOutage) listener.ended()
    ;[isAvailable, isInOutage, reason] = [true, false, undefined]
  }

  connection.on('error', (error) => {
    reason = error
  })
  connection.on('close', () => fail(reason ?? new Error('The connection was closed')))
  connection.on('ready', tryAgain)
  await connection.connect().then(tryAgain, () => {})

  return {
    get isAvailable() {
      return isAvailable
    },
    get outages() {
      return outages
    },
    get missed() {
      return missed
    },
    async take(takes) {
      if (!isAvailable) {
        missed += 1
        return undefined
      }
      const { promise, resolve } = Promise.withResolvers<Taken[] | undefined>()
      const giveUp = () => resolve(undefined)
      waiting.add(giveUp)
      const cancel = stallTolerantTimeout(answerTimeoutMs, () => fail(new Error('Redis does not answer')))
      send(takes).then(resolve, (error) => {
        fail(error)
        giveUp()
      })
      const taken = await promise
      cancel()
      waiting.delete(giveUp)
      if (!taken) missed += 1
      return taken
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      connection.disconnect()
    },
  }
}

/** Reads what the script returns. */
function readTaken(takes: readonly Take[], values: readonly (string | number)[]): Taken[] {
  return takes.slice(0, values.length / 2).map(({ limit }, n) => {
    const [isAllowed, ttlMs] = [values[2 * n] === 1, Number(values[2 * n + 1])]
    return { isAllowed, remaining: isAllowed ? limit.burst - missingTokens(limit, ttlMs) : 0, ttlMs }
  })
}

/** What a limit counts by, such as an address, is in Redis only as a hash. */
function keyOf({ name, key }: Take): string {
  return `hearth:limit:${name}:${hash('sha256', key, 'base64url').slice(0, 22)}`
}
