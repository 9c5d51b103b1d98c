const protocols = ['http:', 'https:', 'mailto:']

/** The address of a link that may be followed, else undefined. */
export function safeAddress(href: string): string | undefined {
  const url = URL.parse(href)
  return url && protocols.includes(url.protocol) ? url.href : undefined
}
