import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An IP address of a host. */
export type Address = { address: string; family: 4 | 6 }

/** How the hosts of endpoints are found, and which of their addresses may be connected to. */
export type PushNetwork = {
  /** The addresses of a host name, IPv4 first; [] if it has none. */
  resolve(hostname: string): Promise<Address[]>
  isAllowed(address: string): boolean
}

/** An endpoint has no address, or one that may not be connected to. */
export class ForbiddenEndpoint extends Error {}

/**
 * Asks name servers itself, and not the system: that would occupy one of the few threads that also read files for as
 * long as a name server of somebody else does not answer, and would find the names of this machine's `hosts` file.
 */
const resolver = new Resolver({ timeout: 2_000, tries: 2 })

export const internet: PushNetwork = {
  async resolve(hostname) {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = (result: PromiseSettledResult<string[]>, family: 4 | 6) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
    return [...found(ipv4, 4), ...found(ipv6, 6)]
  },
  isAllowed: isPublicAddress,
}

/**
 * Whether an address is one of the public internet. IPv6 addresses that contain an IPv4 address (mapped, NAT64, 6to4,
 * Teredo) are not.
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast'
}

/**
 * The addresses of the host of a URL, all of which may be connected to. Throws `ForbiddenEndpoint`: one address that may
 * not be connected to forbids the host.
 */
export async function allowedAddresses({ hostname }: URL, network: PushNetwork): Promise<Address[]> {
  const literal = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(literal)
  const addresses =
    family === 0 ? await network.resolve(hostname) : [{ address: literal, family: family as 4 | 6 }]
  const areAllowed = addresses.length > 0 && addresses.every(({ address }) => network.isAllowed(address))
  if (!areAllowed) throw new ForbiddenEndpoint('the endpoint has no address that may be connected to')
  return addresses
}
