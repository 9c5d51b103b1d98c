/** The item of the largest weight, the first of several; undefined if there is none above 0. */
export function maxBy<Item>(items: Iterable<Item>, weigh: (item: Item) => number): Item | undefined {
  let found: Item | undefined
  let most = 0
  for (const item of items) {
    const weight = weigh(item)
    if (weight <= most) continue
    found = item
    most = weight
  }
  return found
}
