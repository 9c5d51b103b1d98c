import { expect, test } from 'vitest'
import { invalid, required, told } from '../../support/permissions.ts'
import { call } from '../../support/world.ts'

const path = '/auth/check-password'

test('says whether a password would be accepted, from whatever account it is', async () => {
  const ann = { username: 'ann.baker', name: 'Ann', email: 'annie@example.org' }
  for (const [body, accepted] of [
    [{ password: 'correct horse' }, true],
    [{ password: 'password' }, false],
    [{ password: 'seven77' }, false],
    [{ password: '' }, false],
    [{ password: 'ann.baker' }, true],
    [{ ...ann, password: 'ann.baker' }, false],
    [{ ...ann, password: 'Annie2026' }, false],
    [{ password: 'hearth.test' }, false],
  ] as const) {
    const answer = await call(null, 'POST', path, body)
    expect([body.password, answer.status, answer.body.data]).toEqual([body.password, 200, { accepted }])
  }
})

test('wrong and long fields answer invalid_schema', async () => {
  expect(told(await call(null, 'POST', path))).toEqual([400, required('password')])
  for (const password of [5, null, 'x'.repeat(257), 'nul\u0000nul\u0000']) {
    expect(told(await call(null, 'POST', path, { password }))).toEqual([400, required('password')])
  }
  const long = { username: 'x'.repeat(257), name: 5, email: ['x'] }
  const answer = await call(null, 'POST', path, { password: 'correct horse', ...long })
  expect(told(answer)).toEqual([400, invalid('username', 'name', 'email')])
})
