import { expect, test } from 'vitest'
import { colourInTurn } from '../../src/web/messages/coloring.ts'

test('codes are coloured one after the other, in turns of their own, whatever fails', async () => {
  const order: string[] = []
  const colour = (name: string) => {
    order.push(name)
    setTimeout(() => order.push(`after ${name}`))
    if (name === 'b') throw new Error('no colour')
    return name.toUpperCase()
  }
  const all = await Promise.allSettled(['a', 'b', 'c'].map((each) => colourInTurn(each, colour)))
  expect(order.slice(0, 5)).toEqual(['a', 'after a', 'b', 'after b', 'c'])
  expect(all.map((each) => (each.status === 'fulfilled' ? each.value : 'failed'))).toEqual([
    'A',
    'failed',
    'C',
  ])
})

test('code of more than 2,000 characters is not coloured', async () => {
  expect(await colourInTurn('a'.repeat(2_000), () => 'coloured')).toBe('coloured')
  expect(await colourInTurn('a'.repeat(2_001), () => 'coloured')).toBe(undefined)
})
