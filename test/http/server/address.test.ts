import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { addressReader, networkOf } from '../../../src/http/server/address.ts'
import { password, resident } from '../../support/accounts.ts'
import { otherApp } from '../../support/other-app.ts'
import { type Answer, call as ask } from '../../support/world.ts'

function addressOf(trusted: string, remoteAddress: string, forwarded?: string): string {
  const { trustProxy } = readConfig({ TRUST_PROXY: trusted })
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return addressReader(trustProxy)({ headers, socket: { remoteAddress } } as unknown as IncomingMessage)
}

describe('where a request comes from', () => {
  test.each([
    ['nobody is believed: the socket', '', '10.0.0.1', '192.0.2.1', '10.0.0.1'],
    ['no proxy spoke: the socket', '2', '10.0.0.1', undefined, '10.0.0.1'],
    [
      'one proxy: what it wrote, not what was sent to it',
      '1',
      '10.0.0.1',
      '192.0.2.66, 192.0.2.1',
      '192.0.2.1',
    ],
    ['two proxies', '2', '10.0.0.1', '192.0.2.66,192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['more proxies than wrote: the first entry', '5', '10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['a known proxy', '10.0.0.0/8', '10.0.0.1', '192.0.2.66, 192.0.2.1, 10.9.9.9', '192.0.2.1'],
    ['a known proxy, seen as IPv4 in IPv6', '10.0.0.0/8', '::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['a known proxy over IPv6', 'loopback,uniquelocal', '::1', '2001:db8::1, fd00::5', '2001:db8::1'],
    ['somebody else: the socket', '10.0.0.0/8', '11.0.0.1', '192.0.2.1', '11.0.0.1'],
    ['one address only', '10.0.0.1', '10.0.0.2', '192.0.2.1', '10.0.0.2'],
    ['one IPv6 address only', 'fd00::5', 'fd00::6', '2001:db8::1', 'fd00::6'],
    [
      'an entry that is no address: who passed it on',
      '3',
      '10.0.0.1',
      '192.0.2.1, unknown, 10.0.0.2',
      '10.0.0.2',
    ],
    ['an address with a port', '1', '10.0.0.1', '192.0.2.66:1, 192.0.2.1:50000', '192.0.2.1'],
    ['an IPv6 address with a port', '1', '10.0.0.1', '[2001:db8::1]:50000', '2001:db8::1'],
    ['an IPv6 address in brackets', '1', '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['an IPv6 address with a zone', '1', '10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['a quoted address', '1', '10.0.0.1', '"[2001:db8::1]:443"', '2001:db8::1'],
    ['proxies that write ports', '10.0.0.0/8', '10.0.0.1', '192.0.2.1:9, 10.0.0.2:443', '192.0.2.1'],
    ['a port that is none', '1', '10.0.0.1', '192.0.2.1:http', '10.0.0.1'],
    ['an empty header', '1', '10.0.0.1', '', '10.0.0.1'],
    ['a socket that is gone', 'loopback', '', '192.0.2.1', ''],
  ])('%s', (_what, trusted, remoteAddress, forwarded, expected) => {
    expect(addressOf(trusted, remoteAddress, forwarded)).toBe(expected)
  })

  test.each([
    ['loopback', ['127.0.0.1', '127.9.9.9', '::1'], ['128.0.0.1', '::2']],
    ['linklocal', ['169.254.1.1', 'fe80::1', 'febf::1%eth0'], ['169.253.1.1', 'fec0::1']],
    [
      'uniquelocal',
      ['10.9.9.9', '172.16.0.1', '172.31.9.9', '192.168.9.9', 'fc00::1', 'fdff::1'],
      ['11.0.0.1', '172.32.0.1', '172.15.9.9', '192.169.0.1', 'fe00::1'],
    ],
  ])('proxies in %s are believed, and nobody beside them', (name, inside, outside) => {
    for (const proxy of inside) expect(addressOf(name, proxy, '192.0.2.1')).toBe('192.0.2.1')
    for (const other of outside) expect(addressOf(name, other, '192.0.2.1')).toBe(other)
  })

  test('an IPv6 network counts as one address, and IPv4 in IPv6 as itself', () => {
    expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8::2'))
    expect(networkOf('2001:db8:1::1')).not.toBe(networkOf('2001:db8:2::1'))
    expect(networkOf('::ffff:10.0.0.1')).toBe('10.0.0.1')
    expect(networkOf('')).toBe('')
  })
})

const twice = { burst: 2, refillMs: 3_600_000 }
const limits = { ...readConfig({}).rateLimits, address: twice, auth: twice, registration: twice }

const withoutProxy = await otherApp({ rateLimit: true, rateLimits: limits })
const behindProxy = await otherApp({ rateLimit: true, rateLimits: limits, trustProxy: 1 })

type Call = typeof ask
const routes: [string, (call: Call, from: object) => Promise<Answer>][] = [
  ['a request without a caller', (call, from) => call(null, 'GET', '/users/nobody', undefined, from)],
  [
    'a token of nobody',
    (call, from) => call({ token: 'f'.repeat(128) } as never, 'GET', '/users/@me', undefined, from),
  ],
  ['an unknown path', (call, from) => call(null, 'GET', '/nowhere', undefined, from)],
  ['a login', (call, from) => call(null, 'POST', '/auth/login', { login: 'ann', password: 'x' }, from)],
  ['a registration', (call, from) => call(null, 'POST', '/auth/register', {}, from)],
]

describe('limits by address', () => {
  let addresses = 0
  /** An address that nothing has counted for yet. */
  const newAddress = () => {
    addresses += 1
    return `192.0.2.${addresses}`
  }

  test.each(routes)('%s counts by the forwarded address behind a believed proxy', async (_what, ask) => {
    const { call } = behindProxy
    const [one, other] = [newAddress(), newAddress()]
    const from = (address: string) => ({ headers: { 'x-forwarded-for': `198.51.100.9, ${address}` } })
    await ask(call, from(one))
    await ask(call, from(one))
    expect((await ask(call, from(one))).status).toBe(429)
    expect((await ask(call, from(other))).status).not.toBe(429)
  })

  test.each(routes)('%s counts by the socket address without trusted proxies', async (_what, ask) => {
    const { call } = withoutProxy
    const remoteAddress = newAddress()
    const statuses: number[] = []
    for (let count = 0; count < 3; count += 1) {
      const headers = { 'x-forwarded-for': newAddress() }
      statuses.push((await ask(call, { remoteAddress, headers })).status)
    }
    expect(statuses[0]).not.toBe(429)
    expect(statuses[2]).toBe(429)
  })
})

test('a login session shows the forwarded address only behind a believed proxy', async () => {
  const ann = await resident()
  const body = { login: ann.username, password }
  const more = { headers: { 'x-forwarded-for': '192.0.2.7' } }
  const { call } = await otherApp({ trustProxy: ['127.0.0.0/8'] })
  await call(null, 'POST', '/auth/login', body, more)
  await ask(null, 'POST', '/auth/login', body, more)
  const { data } = (await ask(ann, 'GET', '/users/@me/sessions')).body
  expect(data.map((session: { address: string }) => session.address).slice(0, 2)).toEqual([
    '127.0.0.1',
    '192.0.2.7',
  ])
})
