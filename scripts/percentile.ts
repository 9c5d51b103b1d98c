/** The value that this part of all values lie below: 0.5 is the median, of two middles the upper. 0 where there are none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length * part)] ?? 0
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}
