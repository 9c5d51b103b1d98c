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

/** Whether a username (lower case) is reserved (docs/api.md#usernames). */
export function isReserved(username: string): boolean {
  return reservedUsernames.has(username) || username.startsWith('deleted-')
}
