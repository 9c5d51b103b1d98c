/**
 * The address of a website as somebody types it, `example.org`, with https:// before it. Whatever has a scheme, and what is
 * no host name, stays as it is.
 */
export function withScheme(typed: string): string {
  const text = typed.trim()
  if (text.startsWith('//')) return `https:${text}`
  const isHost =
    /^(?:localhost|\[[0-9a-f:]+\]|[^\s/?#@:.]+(?:\.[^\s/?#@:.]+)+)\.?(?::\d+)?(?:[/?#]|$)/iu.test(text)
  return isHost ? `https://${text}` : text
}
