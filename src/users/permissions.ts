const reservedUsernames = new Set([
  'me',
  'admin',
  'administrator',
  'system',
  'everyone',
  'here',
  'houses',
  'users',
  'rooms',
  'streams',
  'relationships',
  'invites',
  'bots',
  'auth',
  'socket',
  'support',
  'hearth',
  'null',
  'undefined',
])

/** Whether nobody may take this username (lower case): it is one of the service's words, or a deleted account's. */
export function isReserved(username: string): boolean {
  return reservedUsernames.has(username) || username.startsWith('deleted-')
}
