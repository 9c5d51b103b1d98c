/** What the address bar names. */
export type Place =
  | { name: 'home' }
  | { name: 'logIn' | 'createAccount'; invite?: string | undefined }
  | { name: 'forgottenPassword' }
  | { name: 'newPassword' | 'confirmEmail'; code?: string | undefined }
  | { name: 'oidc'; code?: string | undefined; returnTo?: string | undefined }
  | { name: 'invite'; code: string }
  | { name: 'house'; houseId: string }
  | ({ name: 'room'; houseId: string; roomId: string } & InRoom)
  | ({ name: 'private'; roomId: string } & InRoom)
  | { name: 'privateRooms' }
  | { name: 'friends' }
  | { name: 'mentions' }
  | { name: 'settings' | 'administration'; section: string }
  | { name: 'houseSettings'; houseId: string; section: string }
  | { name: 'unknown' }

/** A message that the address names; after a step back, where one was: at a message, or at the end of the room. */
type InRoom = { message?: string | undefined; left?: string | undefined }

/** The path that all addresses of this client begin with. */
export const base = '/app'

/** The place that a path and query name; `unknown` where they name none, or something that is no id stands for one. */
export function parsePlace(path: string, search = '', hash = ''): Place {
  const parts = path.slice(base.length).split('/').slice(1).map(decode)
  // A slash at the end changes nothing.
  if (parts.at(-1) === '') parts.pop()
  const [first = '', second, third, fourth] = parts
  const query = new URLSearchParams(search)
  const [inQuery, invite] = ['code', 'invite'].map((name) => query.get(name) ?? undefined)
  // Mails have it in the fragment, which a browser sends to no server.
  const code = new URLSearchParams(hash.slice(1)).get('code') ?? inQuery
  const message = idIn(query.get('message') ?? '')
  switch (`${first} ${parts.length}`) {
    case ' 0':
      return { name: 'home' }
    case 'log-in 1':
      return { name: 'logIn', invite }
    case 'create-account 1':
      return { name: 'createAccount', invite }
    case 'forgotten-password 1':
      return { name: 'forgottenPassword' }
    case 'new-password 1':
      return { name: 'newPassword', code }
    case 'confirm-email 1':
      return { name: 'confirmEmail', code }
    case 'oidc 1':
      return { name: 'oidc', code, returnTo: query.get('return_to') ?? undefined }
    case 'invite 2':
      return { name: 'invite', code: second ?? '' }
    case 'private 1':
      return { name: 'privateRooms' }
    case 'friends 1':
    case 'mentions 1':
      return { name: first as 'friends' | 'mentions' }
    case 'admin 1':
    case 'admin 2':
      return { name: 'administration', section: second ?? '' }
    case 'settings 1':
    case 'settings 2':
      return { name: 'settings', section: second ?? '' }
    default:
      return placeOfIds(first, [second, third, fourth], parts.length, message)
  }
}

type Parts = [string | undefined, string | undefined, string | undefined]

function placeOfIds(
  first: string,
  [second = '', third = '', fourth = '']: Parts,
  count: number,
  message: string | undefined,
): Place {
  const unknown: Place = { name: 'unknown' }
  const id = idIn(second)
  if (id === undefined || count > 4) return unknown
  if (first === 'private' && count === 2) return { name: 'private', roomId: id, message }
  if (first !== 'houses') return unknown
  if (count === 2) return { name: 'house', houseId: id }
  if (third === 'settings') return { name: 'houseSettings', houseId: id, section: fourth }
  const roomId = idIn(fourth)
  return third === 'rooms' && roomId !== undefined ? { name: 'room', houseId: id, roomId, message } : unknown
}

/** An id, as the server writes them: a positive integer of 63 bits. */
function idIn(text: string): string | undefined {
  return /^[1-9]\d{0,18}$/.test(text) ? text : undefined
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a place. */
export function pathOf(place: Place): string {
  const withQuery = (path: string, query: Record<string, string | undefined>) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
    return `${base}/${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
  }
  switch (place.name) {
    case 'logIn':
      return withQuery('log-in', { invite: place.invite })
    case 'createAccount':
      return withQuery('create-account', { invite: place.invite })
    case 'forgottenPassword':
      return `${base}/forgotten-password`
    case 'newPassword':
      return withQuery('new-password', { code: place.code })
    case 'confirmEmail':
      return withQuery('confirm-email', { code: place.code })
    case 'oidc':
      return `${base}/oidc`
    case 'invite':
      return `${base}/invite/${encodeURIComponent(place.code)}`
    case 'house':
      return `${base}/houses/${place.houseId}`
    case 'room':
      return withQuery(`houses/${place.houseId}/rooms/${place.roomId}`, { message: place.message })
    case 'private':
      return withQuery(`private/${place.roomId}`, { message: place.message })
    case 'privateRooms':
      return `${base}/private`
    case 'settings':
      return place.section ? `${base}/settings/${place.section}` : `${base}/settings`
    case 'administration':
      return place.section ? `${base}/admin/${place.section}` : `${base}/admin`
    case 'houseSettings':
      return `${base}/houses/${place.houseId}/settings${place.section && `/${place.section}`}`
    case 'friends':
    case 'mentions':
      return `${base}/${place.name}`
    default:
      return `${base}/`
  }
}

/**
 * Where an address leads to on a server with these hosts, by http or https; undefined if it leads elsewhere. A path of
 * this client leads there, too.
 */
export function pathAt(hosts: ReadonlySet<string>, address: string): string | undefined {
  const isPath = address.startsWith(`${base}/`)
  const url = URL.parse(address, isPath ? 'http://localhost' : undefined)
  if (!url || !/^https?:$/.test(url.protocol) || (!isPath && !hosts.has(url.host))) return undefined
  return url.pathname + url.search + url.hash
}

/** On a narrow screen, the list that leads to a place. */
export function listBefore(at: Place): Place {
  return 'houseId' in at ? { name: 'house', houseId: at.houseId } : { name: 'privateRooms' }
}
