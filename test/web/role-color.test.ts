import { expect, test } from 'vitest'
import { contrast, dark, light, readable } from '../../src/web/houses/role-color.ts'

const colors = [
  [255, 255, 0],
  [255, 255, 255],
  [1, 1, 1],
  [0, 0, 255],
  [230, 126, 34],
] as const

test.each(colors)('the colour %i %i %i stands out in both themes', (...color) => {
  for (const theme of [light, dark]) {
    expect(contrast(readable(color, theme), theme.surface)).toBeGreaterThanOrEqual(4.5)
  }
})

test('a colour that stands out stays as it is', () => {
  expect(readable([120, 0, 0], light)).toEqual([120, 0, 0])
})
