import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { withoutBudget } from '../../src/images/budget.ts'
import { convertHeic } from '../../src/images/heic/convert.ts'
import { decodeHeic } from '../../src/images/heic/decode.ts'
import { NoPicture } from '../../src/images/render.ts'
import { heic, largeHeic } from '../support/pictures.ts'

const maxWorkMs = 60_000

test('a HEIC is decoded in limited memory, and is no picture where that is not enough', async () => {
  const { width, height } = await decodeHeic(largeHeic, { maxWorkMs })
  expect([width, height]).toEqual([2_048, 2_048])
  const little = decodeHeic(largeHeic, { maxWorkMs, maxMemoryBytes: 30_000_000 })
  await expect(little).rejects.toThrow(NoPicture)
})

test('a HEIC that decodes to more pixels than it may have is no picture', async () => {
  await expect(decodeHeic(largeHeic, { maxWorkMs, maxPixels: 2_000_000 })).rejects.toThrow(NoPicture)
})

test('a HEIC that takes too long is given up', async () => {
  await expect(decodeHeic(largeHeic, { maxWorkMs: 1 })).rejects.toMatchObject({ code: 'unavailable' })
})

test('a HEIC that says that it is too large is not decoded, and takes no time of its sender', async () => {
  const huge = Buffer.from(heic)
  huge.writeUInt32BE(6_000, huge.lastIndexOf('ispe') + 8)
  huge.writeUInt32BE(6_000, huge.lastIndexOf('ispe') + 12)
  const taken: number[] = []
  const budget = { ...withoutBudget(randomUUID()), take: async (units: number) => void taken.push(units) }
  await expect(convertHeic(huge, budget)).rejects.toThrow(NoPicture)
  expect(taken).toEqual([])
})
