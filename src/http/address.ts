import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import type { Config } from '../config.ts'

/** The address that a request comes from: that of the socket, or what trusted proxies say. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * Reads `X-Forwarded-For` from its end, where the nearest proxy has written, as long as the writers are trusted. It
 * stops at an entry that is not an address: then the proxy that added it counts.
 */
export function addressReader(trustProxy: Config['trustProxy']): AddressOf {
  const isTrusted = trustCheck(trustProxy)
  return (request) => {
    let address = request.socket.remoteAddress ?? ''
    const header = request.headers['x-forwarded-for']
    if (header === undefined) return address
    const forwarded = String(header).split(',')
    for (let hop = 0; isTrusted(address, hop); hop += 1) {
      const next = forwarded.pop()?.trim() ?? ''
      if (isIP(next) === 0) break
      address = next
    }
    return address
  }
}

/** An address as rate limits count it: an IPv6 network is one, and an IPv4 address in IPv6 form is the IPv4 address. */
export function networkOf(address: string): string {
  return rateLimit.normalizeIP(address)
}

function trustCheck(trustProxy: Config['trustProxy']): (address: string, hop: number) => boolean {
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy
  const networks = new BlockList()
  for (const network of trustProxy) {
    const [address, prefix] = network.split('/') as [string, string | undefined]
    const family = familyOf(address)
    networks.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return (address) => networks.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
