/** What a search text has beside words: `name:value`, as in docs/api.md#search. */
const filter = /(?<!\S)(from|in|before|after|has|is):(?:"[^"]+"|[^\s"]+)(?!\S)/giu

/** The words and phrases of a search text that must occur: without filters, and without what is excluded. */
export function wantedTexts(q: string): { text: string; isQuoted: boolean }[] {
  return [...q.replace(filter, ' ').matchAll(/(-*)(?:"([^"]*)"?|([^\s"]+))/gu)]
    .filter(([, dashes]) => dashes === '')
    .map(([, , phrase, word]) => ({ text: phrase ?? word ?? '', isQuoted: phrase !== undefined }))
}

/** Whether a search text has a filter, such as `has:file`. */
export function hasFilter(q: string, wanted: string): boolean {
  return (q.match(filter) ?? []).some((each) => each.toLowerCase() === wanted)
}

/** The value of a filter in a search text; empty where there is none. */
export function filterValue(q: string, name: string): string {
  const found = (q.match(filter) ?? []).find((each) => each.toLowerCase().startsWith(`${name}:`))
  return found?.slice(name.length + 1) ?? ''
}

/** A search text with a filter, or without it. */
export function toggleFilter(q: string, wanted: string): string {
  if (!hasFilter(q, wanted)) return `${q.trim()} ${wanted}`.trim()
  return tidy(q.replace(filter, (each) => (each.toLowerCase() === wanted ? '' : each)))
}

/** A search text in which a filter has only this value; without it if the value is empty. */
export function setFilter(q: string, name: string, value: string): string {
  const others = q.replace(filter, (each) => (each.toLowerCase().startsWith(`${name}:`) ? '' : each))
  return tidy(value === '' ? others : `${others} ${name}:${value}`)
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Replaces days by times: the days of the user begin at local midnight, those of the server at midnight UTC. */
export function withTimes(q: string): string {
  return q.replace(filter, (each) => {
    const [, name, year, month, day] = /^(before|after):(\d{4})-(\d{2})-(\d{2})$/i.exec(each) ?? []
    const midnight = new Date(Number(year), Number(month) - 1, Number(day))
    return name === undefined || Number.isNaN(midnight.getTime()) ? each : `${name}:${midnight.toISOString()}`
  })
}
