/** The samples of a metric in the text of /metrics, those with these labels alone. */
export function samplesOf(text: string, name: string, labels: Record<string, string> = {}) {
  const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, found, given = '', value]) => {
    const own = [...given.matchAll(/(\w+)="([^"]*)"/g)].map((match) => [match[1], match[2]])
    return { name: found, labels: Object.fromEntries(own) as Record<string, string>, value: Number(value) }
  })
  return samples.filter((sample) => {
    const isAsked = Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
    return sample.name === name && isAsked
  })
}

/** The sum of a metric over all its samples with these labels; 0 where there are none. */
export function sumOf(text: string, name: string, labels: Record<string, string> = {}): number {
  return samplesOf(text, name, labels).reduce((sum, { value }) => sum + value, 0)
}
