import fc from 'fast-check'

/** What is hardly HTTP: a request as the lines and bytes it goes out as. */
type OddRequest = { method: string; target: string; version: string; headers: string[]; body: string }

const targets = [
  '/health',
  '*',
  'http://hearth/health',
  'https://[::1]:x/health',
  'hearth:443',
  '//',
  '/',
  '/%',
  '/../health',
  '/health#x',
  '/health?',
  '?',
  '/a\tb',
  '/é',
  '/\u0001',
  '/users/%E0%A4%A',
  `/${'a'.repeat(7_000)}`,
  `/${'a'.repeat(40_000)}`,
  '/health /x',
  '/v1',
  '/socket',
  '/v1/socket?compression=zlib',
  '/metrics',
  '/docs',
  '/docs/json/',
  '/docs/static/..%2f..%2fpackage.json',
]
const methods = [
  'GET',
  'POST',
  'HEAD',
  'OPTIONS',
  'DELETE',
  'PATCH',
  'CONNECT',
  'TRACE',
  'get',
  'BREW',
  'G\u0000T',
  '',
  'A'.repeat(300),
  'PRI',
  'QUERY',
  'ACL',
  'UNSUBSCRIBE',
  'SOURCE',
]
const versions = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.9', 'http/1.1', 'HTTP', '']
const headerLines = [
  'Host: x',
  'Host: y',
  'Host:',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'Content-Length: 5',
  'Content-Length: 0',
  'Content-Length: -1',
  'Content-Length: 5, 5',
  'Content-Length: 99999999999999999999',
  'Content-Length: 1000000',
  'Content-Length: 0x5',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: chunked, identity',
  'Content-Type: application/json',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'HTTP2-Settings: x',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Version: 99',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Connection: close',
  'Connection: keep-alive',
  ': x',
  'no colon',
  ' folded',
  'X: a\u0000b',
  'X\u0000: b',
  'X : b',
  'X: é\u0080',
  `X: ${'a'.repeat(20_000)}`,
  'Authorization: ',
  'Authorization: Bearer a, Bearer b',
  'Trailer: X',
  'Range: bytes=0-',
]
const bodies = [
  '',
  'hello',
  '{}',
  '5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhel',
  'zz\r\n',
  'ffffffffffffffff\r\nx',
  '0\r\nX: y\r\n\r\n',
  '5;x=y\r\nhello\r\n0\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: x\r\n\r\n',
  '\u0000'.repeat(100),
  '\r\n\r\n\r\n',
]

/** Requests whose first line, headers or framing are wrong somewhere. */
export const oddRequest: fc.Arbitrary<OddRequest> = fc.record({
  method: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('GET', 'POST') },
    { weight: 2, arbitrary: fc.constantFrom(...methods) },
  ),
  target: fc.constantFrom(...targets),
  version: fc.oneof(
    { weight: 5, arbitrary: fc.constant('HTTP/1.1') },
    { weight: 1, arbitrary: fc.constantFrom(...versions) },
  ),
  headers: fc
    .tuple(
      fc.constantFrom<string[]>(['Host: x'], ['Host: x'], ['Host: x'], []),
      fc.array(fc.constantFrom(...headerLines), { maxLength: 4 }),
    )
    .map((lists) => lists.flat()),
  body: fc.constantFrom(...bodies),
})

export function renderOdd({ method, target, version, headers, body }: OddRequest): Buffer {
  const first = [method, target, version].filter((word) => word !== '').join(' ')
  return Buffer.from(`${[first, ...headers].join('\r\n')}\r\n\r\n${body}`, 'latin1')
}
