import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import type { Config } from '../config.ts'

/** Where a request comes from: the socket's address, or what proxies that are believed say of it. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * Reads `X-Forwarded-For` from its end, where the nearest proxy wrote, as far as whoever wrote there is believed. What
 * is no address ends it: then the one who passed it on counts.
 */
export function addressReader(trustProxy: Config['trustProxy']): AddressOf {
  const isBelieved = believer(trustProxy)
  return (request) => {
    let address = request.socket.remoteAddress ?? ''
    const header = request.headers['x-forwarded-for']
    if (header === undefined || trustProxy === 0) return address
    const forwarded = String(header).split(',')
    for (let hop = 0; isBelieved(address, hop); hop += 1) {
      const next = forwarded.pop()?.trim() ?? ''
      if (isIP(next) === 0) break
      address = next
    }
    return address
  }
}

/** What limits count an address as: an IPv6 network is one address, and an IPv4 address in IPv6 is itself. */
export function networkOf(address: string): string {
  return rateLimit.normalizeIP(address)
}

function believer(trustProxy: Config['trustProxy']): (address: string, hop: number) => boolean {
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
