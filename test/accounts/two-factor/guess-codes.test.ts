import { expect, test, vi } from 'vitest'
import { password, type Resident } from '../../support/accounts.ts'
import { atEnd } from '../../support/at-end.ts'
import { otherApp } from '../../support/other-app.ts'
import { smtpServer } from '../../support/smtp.ts'
import { codeOf, invalidCode, totpOf, totpPath, withTotp } from '../../support/two-factor.ts'
import type { Answer } from '../../support/world.ts'

let time = Date.UTC(2026, 0, 1)
const smtp = await smtpServer()
const { call } = await otherApp({ rateLimit: true, smtpUrl: smtp.url }, { now: () => time })
atEnd(smtp.close)

let lastAddress = 0
/** An unused client address: these limits do not depend on it. */
function newAddress() {
  lastAddress += 1
  return { remoteAddress: `10.1.${lastAddress >> 8}.${lastAddress & 255}` }
}

const logIn = ({ username: login }: Resident, code?: string, secret = password) =>
  call(null, 'POST', '/auth/login', { login, password: secret, code }, newAddress())

async function guess(count: number, one: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let n = 0; n < count; n += 1) answers.push(await one())
  return answers
}

const isLimited = (answer: Answer) => answer.body.error?.code === 'rate_limit'

test('wrong codes count by account, from whatever addresses, and slow down', async () => {
  const [bob, eve] = [await withTotp('bob'), await withTotp('eve')]
  const wrong = await guess(10, () => logIn(bob, '000000'))
  for (const { body } of wrong) expect(body).toEqual(invalidCode)
  const refused = await logIn(bob, '000000')
  expect([refused.status, isLimited(refused)]).toEqual([429, true])
  expect(refused.headers).toMatchObject({ 'retry-after': '360', 'ratelimit-limit': '10' })
  // Otherwise the answer would tell a right guess from a wrong one.
  expect(isLimited(await logIn(bob, codeOf(bob.secret)))).toBe(true)
  expect(isLimited(await logIn(bob, bob.backup_codes[0]))).toBe(true)
  expect((await logIn(eve, codeOf(eve.secret))).status).toBe(200)
  time += 360_000
  expect((await logIn(bob, codeOf(bob.secret))).status).toBe(200)
  // The right code was given back.
  expect((await logIn(bob, '000000')).body).toEqual(invalidCode)
  expect(isLimited(await logIn(bob, codeOf(bob.secret, 1)))).toBe(true)
})

test('many wrong codes at once are no way around the limit', async () => {
  const bob = await withTotp('bob')
  const answers = await Promise.all(Array.from({ length: 16 }, () => logIn(bob, 'wrong')))
  expect(answers.filter(isLimited)).toHaveLength(6)
})

test('a wrong password, a missing code and right codes do not count', async () => {
  const bob = await withTotp('bob')
  await guess(6, () => logIn(bob, '000000', 'wrong one'))
  await guess(6, () => logIn(bob))
  for (const code of bob.backup_codes.slice(0, 6)) expect((await logIn(bob, code)).status).toBe(200)
  expect((await guess(11, () => logIn(bob, '000000'))).map(isLimited)).toEqual([
    ...Array(10).fill(false),
    true,
  ])
})

test('wrong codes with a token count to the same account', async () => {
  const bob = await withTotp('bob')
  const disable = (code: string) => call(bob, 'DELETE', totpPath, { code }, newAddress())
  for (const { body } of await guess(5, () => disable('000000'))) expect(body).toEqual(invalidCode)
  await guess(5, () => logIn(bob, 'wrong'))
  const refused = await disable(codeOf(bob.secret))
  expect([refused.status, isLimited(refused)]).toEqual([429, true])
  expect((await totpOf(bob)).mfa_enabled).toBe(true)
  // The password still disables it.
  expect((await call(bob, 'DELETE', totpPath, { password }, newAddress())).status).toBe(200)
})

test('the owner gets one mail about a burst of wrong codes, and none about four', async () => {
  const [bob, eve] = [await withTotp('bob'), await withTotp('eve')]
  const sent = ({ email }: Resident) =>
    smtp.mailsTo(email).map(({ text }) => /^Subject: (.*)$/m.exec(text)![1])
  await guess(4, () => logIn(eve, '000000'))
  await guess(10, () => logIn(bob, '000000'))
  const about = 'Somebody is guessing your two-factor code (hearth.test)'
  await vi.waitUntil(() => sent(bob).length > 0)
  time += 3_600_000
  await guess(10, () => logIn(bob, '000000'))
  // The second mail comes six hours after the first one.
  time += 18_000_000
  await guess(10, () => logIn(bob, '000000'))
  await vi.waitUntil(() => sent(bob).length > 1)
  expect(sent(bob)).toEqual([about, about])
  expect(sent(eve)).toEqual([])
})
