import { isGuessable } from '../../auth/guessable-passwords.ts'
import { fieldsRequired } from '../../errors.ts'

/** The names that a password must not consist of: those of its account, as far as they are known, and the server's. */
export type PasswordNames = {
  /** Its address. */
  server: string
  username?: string | undefined
  name?: string | undefined
  email?: string | null | undefined
}

/** Whether a password is among the first that others try (docs/api.md#field-limits). */
export function isGuessablePassword(password: string, names: PasswordNames): Promise<boolean> {
  const { server, username = '', name = '' } = names
  const email = names.email ?? ''
  const host = URL.canParse(server) ? new URL(server).hostname : ''
  const parts = [...email.split('@'), ...host.split('.')]
  return isGuessable(password, [username, name, email, host, ...parts, 'hearth'])
}

/** Throws `invalid_schema` for such a password, by the name of its field. */
export async function refuseGuessable(
  password: string,
  names: PasswordNames,
  field: 'password' | 'new' = 'password',
): Promise<void> {
  if (await isGuessablePassword(password, names)) throw fieldsRequired(field)
}
