import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'
import type { Config } from '../../config.ts'

/** The address that a request comes from: that of the socket, or what trusted proxies say. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * Reads `X-Forwarded-For` from its end, where the nearest proxy has written, as long as the writers are trusted. It
 * stops at an entry that is not an address: then the proxy that added it counts. Ports, brackets and zones are left out.
 */
export function addressReader(trustProxy: Config['trustProxy']): AddressOf {
  const isTrusted =
    typeof trustProxy === 'number'
      ? (_address: string, hop: number) => hop < trustProxy
      : proxyAddr.compile([...trustProxy])
  return ({ headers, socket }) => {
    const header = String(headers['x-forwarded-for'] ?? '')
    let address = socket.remoteAddress ?? ''
    for (const [hop, entry] of header.split(',').reverse().entries()) {
      const before = addressIn(entry.trim())
      if (before === undefined || !isTrusted(address, hop)) break
      address = before
    }
    return address
  }
}

/** The address of an entry: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`, `fe80::1%eth0`, also quoted. */
function addressIn(entry: string): string | undefined {
  const [, bracketed, withPort, bare = ''] =
    /^"?(?:\[(.*)\](?::\d+)?|([\d.]+):\d+|(.*?))"?$/.exec(entry) ?? []
  const [address = ''] = (bracketed ?? withPort ?? bare).split('%')
  return isIP(address) === 0 ? undefined : address
}

/** An address as rate limits count it: an IPv6 network is one, and an IPv4 address in IPv6 form is the IPv4 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const parsed = ipaddr.process(address)
  return 'parts' in parsed ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}
