import { expect, test } from 'vitest'
import { isGuessable } from '../../src/auth/guessable-passwords.ts'

const names = ['ann.baker', 'Ann Baker', 'annie@mail.example', 'chat.example.org', 'example', 'ann', '大山']

test.each([
  'password',
  'PassWord',
  'ｐａｓｓｗｏｒｄ',
  'password2026!',
  '!!Password',
  'pass word',
  '12345678',
  'qwertyuiop',
  'trustno1',
  '        ',
  '\u3000'.repeat(9),
  'aaaaaaaa',
  'aaaaaaaab',
  'abababab',
  'abcabcabcabc',
  'letmeinletmein',
  'passwordpassword',
  'abcdefgh',
  'hgfedcba',
  'acegikmo',
  'abcdefgh!',
  'ann.baker',
  'AnnBaker99',
  'ann-12345678',
  'annie@mail.example',
  'example1234',
  'chat.example.org',
  'ﾊﾟｽﾜｰﾄﾞ'.slice(0, 3).repeat(4),
])('%j is guessed', async (password) => {
  expect(await isGuessable(password, names)).toBe(true)
})

test.each([
  'correct horse',
  'a new password',
  'long enough',
  'ann likes drills',
  'example of a horse',
  'x9!kQ2-pL',
  '83619540',
  'Grüße aus Köln',
  'wer reitet so spät',
  '大山の頂上に登る朝',
  '🐎🔋📎🧀🪣🌂🧲🛶',
])('%j is not', async (password) => {
  expect(await isGuessable(password, names)).toBe(false)
})

test('does not take long for the longest texts', async () => {
  await isGuessable('password', names)
  const started = performance.now()
  for (const unit of ['a', 'ab', 'a\u0315\u0300', '1', ' ', 'a1', '!a']) {
    await isGuessable(unit.repeat(256 / unit.length), [unit.repeat(256 / unit.length)])
  }
  expect(performance.now() - started).toBeLessThan(2_000)
})
