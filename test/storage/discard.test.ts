import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  cancelDiscard,
  discardFiles,
  eraseDiscarded,
  renewFile,
  saveFile,
} from '../../src/storage/discard.ts'
import { ownWorld } from '../support/own-world.ts'
import { listDiscarded } from '../support/store.ts'
import { db, folder, house, store, user } from '../support/world.ts'

await ownWorld()

const bytes = Buffer.from('bytes')
const file = `${'b'.repeat(40)}.webp`
const has = async (name: string) => (await store.find(name)) !== undefined
/** Lets an hour pass for all that is listed. */
const anHourLater = () =>
  db
    .updateTable('discarded_files')
    .set({ discarded_at: new Date(0) })
    .execute()

const due = async () => {
  const rows = await db.selectFrom('discarded_files').select('discarded_at').execute()
  return rows.filter((row) => row.discarded_at <= new Date()).length
}

beforeEach(async () => {
  await db.deleteFrom('discarded_files').execute()
})

test('a saved file that no transaction puts to use is erased, but not before an hour', async () => {
  await saveFile(db, store, 'attachments/1/1', bytes)
  expect(await eraseDiscarded(db, store)).toBe(0)
  expect(await has('attachments/1/1')).toBe(true)
  await anHourLater()
  expect(await eraseDiscarded(db, store)).toBe(1)
  expect(await has('attachments/1/1')).toBe(false)
  expect(await listDiscarded()).toEqual([])
})

test('a file whose writing failed is listed, so that what there is of it is erased', async () => {
  const broken = Readable.from(
    (async function* () {
      yield bytes
      throw new Error('the client went away')
    })(),
  )
  await expect(saveFile(db, store, 'attachments/1/2', broken)).rejects.toThrow('went away')
  expect(await listDiscarded()).toEqual(['attachments/1/2'])
  expect(await has('attachments/1/2')).toBe(false)
})

/** Lets time pass until files that are being written are renewed. */
function passRenewals(): void {
  vi.advanceTimersByTime(3_600_000 / 4)
}

test('a file that takes longer than an hour to write is not erased', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const slow = Readable.from(
    (async function* () {
      yield bytes
      await anHourLater()
      passRenewals()
      await expect.poll(() => due()).toBe(0)
      expect(await eraseDiscarded(db, store)).toBe(0)
      yield bytes
    })(),
  )
  await saveFile(db, store, 'attachments/1/6', slow)
  expect((await store.find('attachments/1/6'))?.size).toBe(2 * bytes.length)
  expect(await listDiscarded()).toEqual(['attachments/1/6'])
})

test('a renewal that the database fails is made up for by the next one', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let failures = 0
  const failing = new Proxy(db, {
    get(target, name) {
      // An unhandled rejection would end the server, as it ends a test run.
      if (name === 'updateTable' && failures++ < 2) throw new Error('away')
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const slow = Readable.from(
    (async function* () {
      yield bytes
      await anHourLater()
      for (let round = 0; round < 3; round += 1) passRenewals()
      await expect.poll(() => due()).toBe(0)
      yield bytes
    })(),
  )
  await saveFile(failing, store, 'attachments/1/10', slow)
  expect(failures).toBeGreaterThan(2)
})

test('a file is renewed only while it is being written', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const during: number[] = []
  const counting = { ...store, write: async () => void during.push(vi.getTimerCount()) }
  const failing = { ...store, write: () => Promise.reject(new Error('the store is away')) }
  const before = vi.getTimerCount()
  await saveFile(db, counting, 'attachments/1/8', bytes)
  await expect(saveFile(db, failing, 'attachments/1/9', bytes)).rejects.toThrow('away')
  expect([...during, vi.getTimerCount()]).toEqual([before + 1, before])
})

test('a failed write does not list a file again that is in use', async () => {
  await saveFile(db, store, 'attachments/1/7', bytes)
  await db.transaction().execute((trx) => cancelDiscard(trx, ['attachments/1/7']))
  await expect(renewFile(db, 'attachments/1/7')).rejects.toMatchObject({ code: 'unavailable' })
  expect(await listDiscarded()).toEqual([])
})

test('with a file goes what a crash in the middle of writing it has left', async () => {
  await mkdir(join(folder, 'files/attachments/2'), { recursive: true })
  await writeFile(join(folder, 'files/attachments/2/1.77-0.part'), bytes)
  await store.write('attachments/2/11', bytes)
  await discardFiles(db, ['attachments/2/1'])
  await eraseDiscarded(db, store)
  expect(await readdir(join(folder, 'files/attachments/2'))).toEqual(['11'])
})

test('a file that was put to use is not erased after an hour', async () => {
  await saveFile(db, store, 'attachments/1/3', bytes)
  await db.transaction().execute((trx) => cancelDiscard(trx, ['attachments/1/3']))
  await anHourLater()
  await eraseDiscarded(db, store)
  expect(await has('attachments/1/3')).toBe(true)
})

test('an erased file cannot be put to use', async () => {
  await saveFile(db, store, 'attachments/1/4', bytes)
  await anHourLater()
  await eraseDiscarded(db, store)
  const keeping = db.transaction().execute((trx) => cancelDiscard(trx, ['attachments/1/4']))
  await expect(keeping).rejects.toMatchObject({ code: 'unavailable' })
})

test('a file given up in a transaction that fails stays', async () => {
  await store.write('attachments/1/5', bytes)
  const failing = db.transaction().execute(async (trx) => {
    await discardFiles(trx, ['attachments/1/5'])
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await eraseDiscarded(db, store)
  expect(await has('attachments/1/5')).toBe(true)
})

test('a listed picture that a row names again is taken off the list and stays', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann })
  await db.updateTable('users').set({ icon: file }).where('id', '=', ann.id).execute()
  await db.updateTable('users').set({ header: file }).where('id', '=', bob.id).execute()
  await db.updateTable('houses').set({ icon: file }).where('id', '=', den.id).execute()
  const used = [
    `users/${ann.id}/icons/${file}`,
    `users/${bob.id}/headers/${file}`,
    `houses/${den.id}/icons/${file}`,
  ]
  const unused = [`users/${ann.id}/headers/${file}`, `users/${bob.id}/icons/${file}`]
  for (const name of [...used, ...unused]) await store.write(name, bytes)
  await discardFiles(db, [...used, ...unused])
  expect(await eraseDiscarded(db, store)).toBe(5)
  expect(await Promise.all(used.map(has))).toEqual([true, true, true])
  expect(await Promise.all(unused.map(has))).toEqual([false, false])
  expect(await listDiscarded()).toEqual([])
})

test('a picture that is to be erased and is saved again is not erased before it is put to use', async () => {
  await store.write('users/1/icons/again', bytes)
  await discardFiles(db, ['users/1/icons/again'])
  await saveFile(db, store, 'users/1/icons/again', bytes)
  expect(await eraseDiscarded(db, store)).toBe(0)
  expect(await has('users/1/icons/again')).toBe(true)
})

test('a file that the store does not let go of stays listed, and the others go', async () => {
  const names = ['attachments/3/1', 'attachments/3/2']
  for (const name of names) await store.write(name, bytes)
  await discardFiles(db, names)
  const stubborn = {
    ...store,
    remove: (name: string) => (name.endsWith('1') ? Promise.reject() : store.remove(name)),
  }
  expect(await eraseDiscarded(db, stubborn)).toBe(1)
  expect(await listDiscarded()).toEqual(['attachments/3/1'])
})

test('files that cannot be removed do not block others, and are retried', async () => {
  const stubborn = {
    ...store,
    remove: (name: string) => (name.startsWith('attachments/9/') ? Promise.reject() : store.remove(name)),
  }
  const names = Array.from({ length: 100 }, (_, i) => `attachments/9/${i}`)
  await discardFiles(db, names)
  await discardFiles(db, ['attachments/10/1'])
  for (let round = 0; round < 2; round += 1) await eraseDiscarded(db, stubborn)
  expect(await listDiscarded()).toEqual(names.toSorted())
  expect(await eraseDiscarded(db, store)).toBe(100)
})

test('many who erase at once deal with each file once', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `attachments/4/${i}`)
  for (const name of names) await store.write(name, bytes)
  await discardFiles(db, names)
  const done = await Promise.all(Array.from({ length: 6 }, () => eraseDiscarded(db, store)))
  expect(done.reduce((sum, each) => sum + each)).toBe(40)
  expect(await readdir(join(folder, 'files/attachments/4'))).toEqual([])
})
