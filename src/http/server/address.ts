import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'
import type { Config } from '../../config.ts'

/** The address that a request comes from: that of the socket, or what trusted proxies say. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * Reads `X-Forwarded-For` from its end, where the nearest proxy has written, as long as the writers are trusted. It
 * stops at an entry that is not an address: then the proxy that added it counts.
 */
export function addressReader(trustProxy: Config['trustProxy']): AddressOf {
  const isTrusted =
    typeof trustProxy === 'number'
      ? (_address: string, hop: number) => hop < trustProxy
      : proxyAddr.compile([...trustProxy])
  return (request) => {
    const [socket = '', ...forwarded] = proxyAddr.all(request, isTrusted)
    const end = forwarded.findIndex((entry) => isIP(entry) === 0)
    return (end === -1 ? forwarded : forwarded.slice(0, end)).at(-1) ?? socket
  }
}

/** An address as rate limits count it: an IPv6 network is one, and an IPv4 address in IPv6 form is the IPv4 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const parsed = ipaddr.process(address)
  return 'parts' in parsed ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}
