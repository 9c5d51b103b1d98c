import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { isWebClientBuilt } from '../../http/server/web.ts'
import { type Finding, note, ok, wrong } from './findings.ts'

export async function checkNode(): Promise<Finding> {
  const { engines } = JSON.parse(await readFile(join(import.meta.dirname, '../../../package.json'), 'utf8'))
  const wanted = Number(/[0-9]+/.exec(engines.node)![0])
  const { node } = process.versions
  if (Number(node.split('.')[0]) >= wanted) return ok('node', `Node is ${node}.`)
  return wrong('node', `Node is ${node} and must be ${wanted} or newer: "npm ci" brings one.`)
}

export function checkSettings(config: Config): Finding[] {
  return [
    checkPublicUrl(config),
    ...checkProxy(config),
    ...checkWebClient(config),
    config.rateLimit
      ? ok('rate_limit', 'RATE_LIMIT is on.')
      : note('rate_limit', 'RATE_LIMIT is off: nothing keeps anybody from flooding the server.'),
  ]
}

/** `npm ci --omit=dev` leaves out what builds the web client. */
function checkWebClient({ web }: Config): Finding[] {
  if (!web) return []
  if (isWebClientBuilt()) return [ok('web_client', 'The web client is built.')]
  const sentence = 'The web client is not built, and WEB is on: "npm ci" without --omit=dev builds it.'
  return [wrong('web_client', sentence)]
}

function checkPublicUrl({ publicUrl }: Config): Finding {
  if (publicUrl === undefined) {
    const sentence =
      'PUBLIC_URL is not set: links to files, and in mails, name the address the server listens on.'
    return note('public_url', sentence)
  }
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol === 'https:' || isLocal(hostname)) return ok('public_url', 'PUBLIC_URL is set.')
  const sentence = 'PUBLIC_URL is not https: passwords and messages can be read on their way.'
  return note('public_url', sentence)
}

/** A host of this machine or of a network of its own, where plain HTTP may do. */
function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || isIP(hostname.replace(/[[\]]/g, '')) !== 0 || !hostname.includes('.')
}

/** The server speaks plain HTTP, so with https there is a proxy before it. */
function checkProxy({ publicUrl, trustProxy }: Config): Finding[] {
  if (!publicUrl?.startsWith('https:')) return []
  if (trustProxy !== 0) return [ok('trust_proxy', 'TRUST_PROXY is set.')]
  const sentence =
    'TRUST_PROXY is not set, and PUBLIC_URL is https: everybody has the address of the proxy, and so one rate limit.'
  return [wrong('trust_proxy', sentence)]
}
