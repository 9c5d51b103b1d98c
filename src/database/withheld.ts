import pg from 'pg'

/*
 * What a backup leaves out (docs/operations.md#secrets-in-a-backup): secrets that are valid for minutes or a day, and
 * would be valid again after a restore. The backup has every table, with the rows that are left.
 */

const keptRows: Readonly<Record<string, string>> = {
  account_codes: 'false',
  oidc_codes: 'false',
  mails: 'false',
  exports: 'false',
  push_subscriptions: 'false',
  // The name of the file of an export contains its key.
  discarded_files: "name not like 'exports/%'",
}

const keptValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The secret of a second factor that is not enabled yet.
  users: { totp_secret: 'case when mfa_enabled then totp_secret end' },
}

/** The names of the files that a backup leaves out begin with this. */
export const withheldFiles = 'exports/'

/** What `copy … to` reads of a table. */
export function selectKept({ name, columns }: { name: string; columns: readonly string[] }): string {
  const table = pg.escapeIdentifier(name)
  const [rows, values = {}] = [keptRows[name], keptValues[name]]
  if (rows === undefined && keptValues[name] === undefined) {
    return `${table} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`
  }
  const selected = columns.map((column) => values[column] ?? pg.escapeIdentifier(column))
  return `(select ${selected.join(', ')} from ${table} where ${rows ?? 'true'})`
}
