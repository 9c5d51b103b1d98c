import fc from 'fast-check'

/** Stands for an id, a code or a name of the scene a request is sent to: put in when it is rendered. */
export const placeholder = (name: string) => `~${name}~`

const units = [
  'a',
  ' ',
  '0',
  '=',
  '@',
  '.',
  '-',
  '<',
  '<@',
  '/',
  '\\',
  '"',
  '\n',
  '\u0000',
  '\ud83d\ude00',
  '\ud800',
  'é',
]
const usualLengths = [2, 33, 64, 65, 100, 257, 513, 4001]
const hugeLengths = [30_000, 120_000, 300_000]

/** One character many times, with an end that most patterns meet too late. */
const long = (lengths: number[]) =>
  fc
    .tuple(
      fc.constantFrom(...units),
      fc.constantFrom(...lengths),
      fc.constantFrom('', '!', '\u0000', '@', ' a'),
    )
    .map(([unit, length, end]) => unit.repeat(length) + end)

/** Text, as JSON, that every pattern of ours refuses, but some only at its end: a slow one is slow here. */
export const spoiltText = fc
  .tuple(
    fc.constantFrom('a', ' ', '0', '@', '.', '-', 'é', 'a ', 'a.', 'A', '/'),
    fc.constantFrom(20, 40, 3_000, 40_000),
    fc.constantFrom('\u0000', '\ud800'),
  )
  .map(([unit, length, end]) => JSON.stringify(unit.repeat(length) + end))

const awkward = [
  '',
  ' ',
  '\t',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\u202e',
  '\ufeff',
  '\u0085',
  '\u2028',
  'İ',
  'ß',
  'a\u0300',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'null',
  'undefined',
  'NaN',
  '@me',
  '..',
  '../../etc/passwd',
  '%00',
  `'; drop table users; --`,
  '{{7*7}}',
  '<script>',
  '<@1>',
  '<@!9223372036854775808>',
  '\\',
  '"',
  '-',
  '"unclosed',
  '-- -a |&!:*',
  '0',
  '-1',
  '1e3',
  '00',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '1'.repeat(400),
  '１２',
  'data:image/png;base64,',
  'data:,',
  'AAAA',
  'A',
  '====',
  'iVBORw0KGgo=',
  'https://x',
  'http://[',
  'javascript:alert(1)',
  '#zzzzzz',
  'a@b',
  '@',
  'a@',
  '123456',
  'dark',
]

/** Strings of every awkward kind. */
export const hostileString = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...awkward) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: long(usualLengths) },
)
const hugeString = long(hugeLengths)

const nested = fc
  .tuple(fc.constantFrom('[', '{"a":'), fc.constantFrom(3, 200, 5_000, 60_000))
  .map(
    ([open, depth]) =>
      open.repeat(depth) + (open === '[' ? '' : '1') + (open === '[' ? ']' : '}').repeat(depth),
  )

const tokens = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1',
  '2',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '2147483648',
  '4294967296',
  '9223372036854775808',
  '1048576',
  `1${'0'.repeat(1_000)}`,
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '["1"]',
  '{"__proto__":{"x":1}}',
  '{"type":1,"data":"x"}',
  '{"type":1,"data":5}',
  '{"length":3}',
  '{"toString":1}',
  '[1,"2",null]',
]

/** A JSON value as text, of any kind. */
export const hostileJson = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...tokens) },
  { weight: 30, arbitrary: hostileString.map((text) => JSON.stringify(text)) },
  { weight: 4, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: hugeString.map((text) => JSON.stringify(text)) },
)

/** Text that is no JSON object, or hardly one. */
export const brokenJson = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.constantFrom(
      '{',
      '}',
      '{"name":}',
      '{"name":"a"',
      `{'name':'a'}`,
      '{"name":"a",}',
      '{"a":1}{"b":2}',
      '{"name":"\\ud8',
      '{"name":"\u0001"}',
      'nul',
      'NaN',
      '{"a":NaN}',
      '[]',
      '[{}]',
      '"text"',
      '5',
      'true',
      '\ufeff\ufeff{}',
      '{"name":01}',
      '{"a":1e}',
      '<xml/>',
      'name=a',
      '\u0000',
      '{"name":"a"}\u0000',
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `{${text}`) },
  { weight: 1, arbitrary: nested.map((text) => text.slice(0, -1)) },
  { weight: 1, arbitrary: nested.map((text) => `[${text}]`) },
)

/** What may stand in a path where an id or a name should: percent-encoded, or not quite. */
export const hostileSegment = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.constantFrom(
      '0',
      '-1',
      '01',
      '1e3',
      '+1',
      '1.0',
      '9223372036854775807',
      '9223372036854775808',
      '99999999999999999999',
      '%00',
      '%',
      '%zz',
      '%ed%a0%80',
      '%c0%af',
      '%2e%2e',
      '..',
      '.',
      '%2f',
      '%5c',
      '%20',
      '@me',
      '%40me',
      '@everyone',
      '__proto__',
      'constructor',
      'null',
      'a%00b',
      '%f0%9f%98%80',
      '~',
      '*',
      ':id',
      '{id}',
      `'or'1'='1`,
      '%27',
      '1;2',
      '1,2',
      '1%0a',
      '%EF%BC%91',
      'x'.repeat(300),
      '1'.repeat(3_000),
      '%41'.repeat(2_000),
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map(encodeLoosely) },
  { weight: 2, arbitrary: fc.bigInt({ min: 1n, max: 2n ** 64n }).map(String) },
)

const queryNames = ['limit', 'before', 'after', 'around', 'q', 'author_id', 'key', '__proto__', 'a[b]', 'x']
const queryValues = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '50',
    '100',
    '101',
    '-1',
    '1.5',
    '1e2',
    'abc',
    '%00',
    '%',
    '%ff',
    '%ed%a0%80',
    '9223372036854775808',
    '+',
    '%22',
    'a'.repeat(300),
  ),
  hostileString.map((text) => encodeLoosely(text).slice(0, 4_000)),
)

/** A query string without its question mark, of names the operation knows and others. */
export function hostileQuery(names: string[]): fc.Arbitrary<string> {
  const name =
    names.length > 0
      ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, fc.constantFrom(...queryNames))
      : fc.constantFrom(...queryNames)
  const pair = fc.tuple(name, queryValues).map(([key, value]) => `${key}=${value}`)
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(pair, { maxLength: 3 }).map((pairs) => pairs.join('&')) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('&&&', '=', '?', 'limit', 'limit=1&limit=2', 'a&'.repeat(500), 'q=%', '%'),
    },
  )
}

/** Encoded as a URL has it; what cannot be encoded (a lone surrogate) as the bytes a sloppy client would send. */
function encodeLoosely(text: string): string {
  const bytes = Buffer.from(text, 'utf8')
  return [...bytes]
    .map((byte) =>
      /[\w.-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('')
}
