import { expect, test } from 'vitest'
import { createLanes } from '../../src/gateway/lanes.ts'

test('what is about one thing runs one after the other, and at once when nothing is before it', async () => {
  const lanes = createLanes()
  const ran: string[] = []
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = lanes('house', () => gates[0]!.promise.then(() => void ran.push('first')))
  const second = lanes('house', () => gates[1]!.promise.then(() => void ran.push('second')))
  lanes('other', () => void ran.push('other'))
  gates[0]!.resolve()
  await first
  const third = lanes('house', () => void ran.push('third'))
  gates[1]!.resolve()
  await Promise.all([second, third])
  lanes('house', () => void ran.push('fourth'))
  expect(ran).toEqual(['other', 'first', 'second', 'third', 'fourth'])
})
