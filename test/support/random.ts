/** Choices that are the same for the same seed. */
export type Random = {
  /** From 0 to 1. */
  number(): number
  pick<Item>(items: readonly Item[]): Item | undefined
  weighted<Item>(choices: readonly (readonly [number, Item])[]): Item
}

export function randomFrom(seed: number): Random {
  let state = seed

  function number(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  return {
    number,
    pick: (items) => items[Math.floor(number() * items.length)],
    weighted(choices) {
      let left = number() * choices.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of choices) {
        left -= weight
        if (left < 0) return item
      }
      return choices.at(-1)![1]
    },
  }
}
