const id = '[1-9]\\d{0,18}'
const path = `/app/(?:houses/${id}(?:/rooms/${id})?|private/${id})(?:\\?message=${id})?(?![\\w/])`
const pathHere = new RegExp(path, 'y')
const signBefore = /[\w/]/

/**
 * The end of the path that begins here, or undefined: one of a room, a message or a house of this client, as messages
 * name them.
 */
export function pathEnd(src: string, at: number): number | undefined {
  pathHere.lastIndex = at
  if (signBefore.test(src[at - 1] ?? '') || !pathHere.test(src)) return undefined
  return pathHere.lastIndex
}
