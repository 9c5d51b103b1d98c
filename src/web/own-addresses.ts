import { computed } from '@preact/signals'
import { base, pathAt } from './places.ts'
import { loadServer, server } from './server-information.ts'

/** The hosts that lead to this server: that of the page, and those that the server names. */
const hosts = computed(() => {
  const named = (server.value?.addresses ?? []).map((address) => new URL(address).host)
  return new Set([location.host, ...named])
})

/**
 * Where an address leads to on this server, also one of an earlier domain; undefined if it leads elsewhere. The first one
 * that seems to lead elsewhere asks the server for its addresses.
 */
export function ownPath(address: string): string | undefined {
  const path = pathAt(hosts.value, address)
  if (path === undefined) loadServer()
  return path
}

/** Where an address leads to in this client, as a path; undefined if it leads out of it. */
export function placePath(address: string): string | undefined {
  const path = ownPath(address)
  return path?.startsWith(`${base}/`) ? path : undefined
}
