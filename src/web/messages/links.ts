import { unspaced } from '../../markdown/scripts.ts'

const protocols = ['http:', 'https:', 'mailto:']

/** The address of a link that may be followed, else undefined. */
export function safeAddress(href: string): string | undefined {
  const url = URL.parse(href)
  return url && protocols.includes(url.protocol) ? url.href : undefined
}

/** The most characters of an address that are shown behind a text. */
const longestShown = 80

/**
 * Where a link leads, if its text is another address than that or hides its server: behind a user name, or in letters
 * that look like others.
 */
export function hiddenTarget(text: string, href: string): string | undefined {
  const target = URL.parse(href)
  if (!target) return undefined
  const isHidden = target.username !== '' || hasLookalikes(href) || !agrees(text, target)
  return isHidden ? shown(target) : undefined
}

function shown({ protocol, host, pathname, search, hash }: URL): string {
  const way = pathname + search + hash
  const whole = protocol === 'mailto:' ? pathname : host + (way === '/' ? '' : way)
  return whole.length <= longestShown ? whole : `${whole.slice(0, longestShown - 1)}…`
}

/** Most characters of a link's text that are searched for addresses. */
const longestRead = 2_000
const between = /[\s<>"'`()[\]{}|,;，、！；「」『』]+|:(?!\/|\d)/u
const name = String.raw`(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+\p{L}[\p{L}\p{M}\p{N}-]+`
const written = new RegExp(
  String.raw`^(?:(?<scheme>[a-z][a-z0-9+.-]*:[/\\]{2})\S+|(?<mail>[\w.%+-]+@${name})|(?:${name}|(?:\d{1,3}\.){3}\d{1,3})(?:[:/?#\\]\S*)?)`,
  'iu',
)
/** Names of files look like those of servers. */
const file =
  /^[^/?#]+\.(?:[jt]sx?|txt|pdf|png|jpe?g|gif|html?|css|json|ya?ml|toml|xml|csv|log|exe|docx?|xlsx?|pptx?)$/i

/** Whether a text contains no address but the one that it leads to. */
function agrees(text: string, target: URL): boolean {
  if (URL.parse(text)?.href === target.href) return true
  const words = text
    .slice(0, longestRead)
    .normalize('NFKC')
    .replace(/\p{DI}|\p{Cf}/gu, '')
    .replace(/(?<=[a-z0-9])。(?=[a-z0-9])/giu, '.')
    .split(between)
  return words.every((word) => isOf(word.replace(/^[^\p{L}\p{N}]+|[?!.:*_~]+$/gu, ''), target, word))
}

/** Whether a word is the address of a target, or none; `cut` is the word with the marks around it. */
function isOf(word: string, target: URL, cut: string): boolean {
  const { 0: found, groups } = written.exec(word) ?? {}
  if (found === undefined) return true
  if (groups?.mail !== undefined)
    return `mailto:${found}`.toLowerCase() === decoded(target.href).toLowerCase()
  const hasScheme = groups?.scheme !== undefined
  if (!hasScheme && (file.test(found) || isLastPart(found, target))) return true
  const claimed = URL.parse(hasScheme ? found : `https://${found}`)
  if (!claimed || withoutWww(claimed.host) !== withoutWww(target.host)) return false
  const [said, real] = [wayOf(claimed), wayOf(target)]
  return said === '' || said === real || (cut.endsWith('...') && real.startsWith(said))
}

function isLastPart(found: string, { pathname }: URL): boolean {
  return decoded(pathname).toLowerCase().endsWith(`/${found.toLowerCase()}`)
}

function wayOf({ pathname, search, hash }: URL): string {
  return (pathname + search + hash).replace(/\/$/, '')
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const noLetter = /[^\p{L}\p{M}\p{N}-]/u
const latin = /\p{sc=Latn}/u
const otherThanLatin = new RegExp(String.raw`(?![\p{sc=Latn}${unspaced}])\p{L}`, 'u')
/** Latin letters that are not of an alphabet of Europe or of Vietnamese. */
const rareLatin = /(?![a-z\u00df-\u0130\u0132-\u017e\u1ea0-\u1ef9])\p{sc=Latn}/iu
const likeLatin = /^(?:[асԁеһіјӏорԛѕԝхуъьҽпгѵѡ0-9-]+|[αικνορτυωηγχε0-9-]+)$/iu

/** Whether a server's name, as it is written, may be taken for that of another one. */
function hasLookalikes(href: string): boolean {
  const [, host = ''] = /^https?:\/\/(?:[^/?#@]*@)?([^/?#:]*)/iu.exec(href) ?? []
  if (!/[^\0-\x7f]/.test(host)) return false
  const labels = host.normalize('NFKC').replaceAll('。', '.').split('.')
  const isAscii = (label: string | undefined) => label !== undefined && /^[\0-\x7f]*$/.test(label)
  return labels.some((label) => {
    if (isAscii(label)) return false
    if (noLetter.test(label)) return true
    if (latin.test(label)) return otherThanLatin.test(label) || rareLatin.test(label)
    return likeLatin.test(label) && isAscii(labels.at(-1))
  })
}
