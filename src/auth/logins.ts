/** The e-mail address or username given at login. */
type NamedAccount = { email: string } | { username: string }

/**
 * What a login names: an `@` after the first character makes it an e-mail address, in any case; else it is a username,
 * of which a leading `@` is dropped.
 */
export function readLogin(login: string): NamedAccount {
  if (login.lastIndexOf('@') > 0) return { email: login }
  return { username: login.replace(/^@/, '').toLowerCase() }
}
