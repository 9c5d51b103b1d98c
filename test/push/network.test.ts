import { expect, test } from 'vitest'
import { allowedAddresses, internet, isPublicAddress } from '../../src/push/network.ts'

const notPublic = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.8',
  '192.168.0.1',
  '198.18.0.1',
  '203.0.113.5',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:0:10.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'not an address',
]

test.each(notPublic)('%s is no address of the public internet', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(['8.8.8.8', '142.250.74.10', '2606:4700::6810:84e5', '2a00:1450:4001::200e'])(
  '%s is one',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each([
  'https://127.0.0.1/x',
  'https://2130706433/x',
  'https://0177.0.0.1/x',
  'https://0x7f.1/x',
  'https://127.1/x',
  'https://１２７.0.0.1/x',
  'https://0/x',
  'https://[::1]/x',
  'https://[::ffff:127.0.0.1]/x',
  'https://[0:0:0:0:0:ffff:7f00:1]/x',
  'https://[64:ff9b::7f00:1]/x',
  'https://[fe80::1]/x',
  'https://169.254.169.254/latest/meta-data',
])('%s is forbidden without asking a name server', async (endpoint) => {
  const resolve = () => Promise.reject(new Error('asked'))
  await expect(allowedAddresses(new URL(endpoint), { ...internet, resolve })).rejects.toThrow(
    /may be connected/,
  )
})

test('a host is forbidden if one of its addresses is, or if it has none', async () => {
  const ask = (...addresses: string[]) =>
    allowedAddresses(new URL('https://push.example.net/x'), {
      ...internet,
      resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    })
  await expect(ask('8.8.8.8', '10.0.0.1')).rejects.toThrow(/may be connected/)
  await expect(ask('8.8.8.8', '::1')).rejects.toThrow(/may be connected/)
  await expect(ask()).rejects.toThrow(/may be connected/)
  expect(await ask('8.8.8.8', '2606:4700::1')).toHaveLength(2)
})
