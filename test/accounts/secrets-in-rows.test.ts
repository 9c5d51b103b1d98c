import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { password } from '../support/accounts.ts'
import { mailingApp } from '../support/mail.ts'
import { ownWorld } from '../support/own-world.ts'
import { codeIn, linkedCodeIn } from '../support/smtp.ts'
import { withTotp } from '../support/two-factor.ts'
import { call, db } from '../support/world.ts'

await ownWorld()

const { mailing, registered, smtp } = await mailingApp()

/** Every row of every table as text, with bytes in hex. */
async function allRows(): Promise<string> {
  const tables = await sql<{ name: string }>`
    select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`.execute(
    db,
  )
  expect(tables.rows.length).toBeGreaterThan(15)
  const texts = await Promise.all(
    tables.rows.map(({ name }) =>
      sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(db),
    ),
  )
  return texts.flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n')
}

test('the database contains no token, password or code in plain text', async () => {
  const ann = await registered('ann')
  await mailing.call(null, 'POST', '/auth/forgot-password', { email: ann.email })
  const mail = await smtp.next()
  const [reset, linked] = [codeIn(mail), linkedCodeIn(mail, '/app/new-password')]
  const bob = await withTotp('bob')
  const bot = await call(bob, 'POST', '/bots', { username: 'helper', name: 'Helper' })
  expect(bot.status).toBe(200)

  const rows = await allRows()
  expect(rows).toContain(ann.email)
  expect(rows).toContain(bob.secret)
  const codes = [ann.code, reset, reset.replace('-', ''), reset.slice(4).replace('-', ''), linked]
  const secrets = [password, ann.token, ...codes, bob.token, ...bob.backup_codes, bot.body.data.token]
  expect(secrets).toHaveLength(19)
  expect(secrets.filter((secret) => typeof secret !== 'string' || rows.includes(secret))).toEqual([])
})
