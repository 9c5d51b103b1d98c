import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The pages of the repository, by path. */
export const pages: string[] = [
  ...readdirSync(root),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => join('docs', file)),
].filter((file) => file.endsWith('.md'))

const anchors = new Map<string, Set<string>>()

/** Whether a page has a heading with this anchor, as GitHub makes them. */
export function hasAnchor(page: string, anchor: string): boolean {
  const known = anchors.get(page) ?? new Set(headingsOf(page))
  anchors.set(page, known)
  return known.has(anchor)
}

function headingsOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```/gms, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
