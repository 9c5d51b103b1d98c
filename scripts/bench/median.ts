/** The middle of an odd number of values, the upper of the two middles of an even one. */
export function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
