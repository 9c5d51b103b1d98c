import { expect, test } from 'vitest'
import { resident } from '../../support/accounts.ts'
import { mailingApp } from '../../support/mail.ts'
import { told } from '../../support/permissions.ts'
import { codeIn, linkedCodeIn } from '../../support/smtp.ts'
import { invalidCode } from '../../support/two-factor.ts'
import { call } from '../../support/world.ts'

const { mailing, smtp } = await mailingApp()

/** Requests a code for a new password, and returns both of its forms from the mail. */
async function codesFor({ email }: { email: string }) {
  await mailing.call(null, 'POST', '/auth/forgot-password', { email })
  const mail = await smtp.next(email)
  return { short: codeIn(mail), linked: linkedCodeIn(mail, '/app/new-password') }
}

const reset = async (code: string) =>
  told(await call(null, 'POST', '/auth/reset-password', { code, password: 'a new password' }))

/** The same code with another last character. */
function wrong(short: string, n: number): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  const last = (digits.indexOf(short.at(-1)!) + 1 + n) % digits.length
  return short.slice(0, -1) + digits[last]
}

test.each<[string, (codes: { short: string; linked: string }) => string]>([
  ['as it is', ({ short }) => short],
  ['in small letters and with spaces', ({ short }) => ` ${short.toLowerCase().replace('-', ' ')} `],
  ['with the letter O for 0, and l for 1', ({ short }) => short.replaceAll('0', 'O').replaceAll('1', 'l')],
  [
    'in wide letters',
    ({ short }) => short.replace(/\w/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  ],
  ['from the link', ({ linked }) => ` ${linked}\n`],
  ['as the whole link', ({ linked }) => `https://hearth.test/app/new-password#code=${linked}`],
])('a code is taken %s', async (_how, typed) => {
  expect((await reset(typed(await codesFor(await resident()))))[0]).toBe(200)
})

test('five guesses end the code to type, of this account only; the link stays valid', async () => {
  const [ann, bob] = [await resident('ann'), await resident('bob')]
  const [ofAnn, ofBob] = [await codesFor(ann), await codesFor(bob)]
  for (let n = 0; n < 5; n += 1) expect(await reset(wrong(ofAnn.short, n))).toEqual([400, invalidCode])
  expect(await reset(ofAnn.short)).toEqual([400, invalidCode])
  expect((await reset(ofBob.short))[0]).toBe(200)
  expect((await reset(ofAnn.linked))[0]).toBe(200)
})

test('four wrong guesses do no harm, and a newer code has five of its own', async () => {
  const ann = await resident('ann')
  const first = await codesFor(ann)
  for (let n = 0; n < 4; n += 1) await reset(wrong(first.short, n))
  const second = await codesFor(ann)
  expect(await reset(first.short)).toEqual([400, invalidCode])
  for (let n = 0; n < 3; n += 1) await reset(wrong(second.short, n))
  expect((await reset(second.short))[0]).toBe(200)
})

test('a code of one purpose has none of another, in either form', async () => {
  const { short, linked } = await codesFor(await resident('ann'))
  for (const code of [short, linked]) {
    expect(told(await call(null, 'POST', '/auth/verify-email', { code }))).toEqual([400, invalidCode])
  }
  expect((await reset(short))[0]).toBe(200)
})
