import { signal } from '@preact/signals'

/** What the address bar names. */
export type Place =
  | { name: 'home' }
  | { name: 'logIn' | 'createAccount'; invite?: string | undefined }
  | { name: 'forgottenPassword' }
  | { name: 'newPassword' | 'confirmEmail'; code?: string | undefined }
  | { name: 'oidc'; code?: string | undefined; returnTo?: string | undefined }
  | { name: 'invite'; code: string }
  | { name: 'house'; houseId: string }
  | { name: 'room'; houseId: string; roomId: string; message?: string | undefined }
  | { name: 'private'; roomId: string; message?: string | undefined }
  | { name: 'privateRooms' }
  | { name: 'friends' }
  | { name: 'mentions' }
  | { name: 'settings' | 'administration'; section: string }
  | { name: 'houseSettings'; houseId: string; section: string }
  | { name: 'unknown' }

const base = '/app'

/** The place that a path and query name. */
export function parsePlace(path: string, search = ''): Place {
  const [first = '', id = '', third = '', roomId = ''] = path
    .slice(base.length)
    .split('/')
    .slice(1)
    .map((part) => decode(part))
  const query = new URLSearchParams(search)
  const [message, code, invite] = ['message', 'code', 'invite'].map((name) => query.get(name) ?? undefined)
  if (first === '') return { name: 'home' }
  if (first === 'log-in') return { name: 'logIn', invite }
  if (first === 'create-account') return { name: 'createAccount', invite }
  if (first === 'forgotten-password') return { name: 'forgottenPassword' }
  if (first === 'new-password') return { name: 'newPassword', code }
  if (first === 'confirm-email') return { name: 'confirmEmail', code }
  if (first === 'oidc') return { name: 'oidc', code, returnTo: query.get('return_to') ?? undefined }
  if (first === 'invite' && id) return { name: 'invite', code: id }
  if (first === 'houses' && id && third === 'rooms' && roomId) {
    return { name: 'room', houseId: id, roomId, message }
  }
  if (first === 'houses' && id && third === 'settings') {
    return { name: 'houseSettings', houseId: id, section: roomId }
  }
  if (first === 'houses' && id) return { name: 'house', houseId: id }
  if (first === 'private' && id) return { name: 'private', roomId: id, message }
  if (first === 'private') return { name: 'privateRooms' }
  if (first === 'friends' || first === 'mentions') return { name: first }
  if (first === 'admin') return { name: 'administration', section: id }
  if (first === 'settings') return { name: 'settings', section: id }
  return { name: 'unknown' }
}

/** The place that an address of this page names. */
export function parsePath(address: string): Place {
  const { pathname, search } = new URL(address, location.origin)
  return parsePlace(pathname, search)
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

function here(): Place {
  return parsePlace(location.pathname, location.search)
}

/** Where one is. */
export const place = signal<Place>({ name: 'home' })
/** Whether something covers the page that the way back uncovers. */
export const isPageCovered = signal(false)

/** What the history says of a step: the address before it, and whether it covered the page. */
type Step = { from: string; isCovering?: boolean } | null

/** Takes the place from the address bar, and follows it and the links of the page from then on. */
export function startRouter(): void {
  place.value = here()
  addEventListener('popstate', () => {
    place.value = here()
    isPageCovered.value = lastStep()?.isCovering === true
  })
  addEventListener('click', followLink)
}

function lastStep(): Step {
  return history.state as Step
}

/** Goes to a place; `replace` leaves no step back to the present one. */
export function go(to: Place, { replace = false } = {}): void {
  const path = pathOf(to)
  const from = location.pathname + location.search
  if (replace) history.replaceState(lastStep(), '', path)
  else if (path !== from) history.pushState({ from } satisfies Step, '', path)
  place.value = to
  isPageCovered.value = false
}

/** Goes to a place that one comes from, by a step back if that leads there. */
export function goBackTo(to: Place): void {
  if (lastStep()?.from === pathOf(to)) history.back()
  else go(to)
}

/** Covers the page, as a step of its own, or uncovers it. */
export function coverPage(isCovered: boolean): void {
  const from = location.pathname + location.search
  // A step back uncovers it too: once it is done.
  if (!isCovered && lastStep()?.isCovering) history.back()
  else isPageCovered.value = isCovered
  if (isCovered) history.pushState({ from, isCovering: true } satisfies Step, '')
}

/** On a narrow screen, the list that leads to a place. */
export function listBefore(at: Place): Place {
  return 'houseId' in at ? { name: 'house', houseId: at.houseId } : { name: 'privateRooms' }
}

/** A click on a link to a place goes there without loading the page again, unless it asks for a new tab. */
function followLink(event: MouseEvent): void {
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!isPlain || !link || event.defaultPrevented || link.target || link.origin !== location.origin) return
  if (!link.pathname.startsWith(`${base}/`)) return
  event.preventDefault()
  go(parsePath(link.href))
}
