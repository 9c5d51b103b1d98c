import { hostname } from 'node:os'
import { type Config, filesUrl } from '../config.ts'

/**
 * What a start says on stdout: lines for people at a terminal, else one line of JSON as in the log, because programs read
 * it there. `address`: where the server listens.
 */
export function announcementOf(address: string, config: Config, isTerminal: boolean): string {
  const origin = config.publicUrl ?? address
  const data = placesOf(config)
  if (!isTerminal) {
    const about = { level: 30, time: Date.now(), pid: process.pid, hostname: hostname() }
    const places = { listening: address, data, docs: `${origin}/docs` }
    return `${JSON.stringify({ ...about, ...places, msg: `Hearth answers at ${origin}` })}\n`
  }
  const lines = [
    `Hearth answers at   ${origin}`,
    ...(origin === address ? [] : [`It listens on       ${address}`]),
    `Data lies in        ${data}`,
    `Docs page           ${origin}/docs`,
  ]
  return `${lines.join('\n')}\n`
}

/** Where the data lies, apart from a database of the operator's. */
function placesOf({ dataDir, databaseUrl, storageUrl }: Config): string {
  const isOwn = databaseUrl === undefined
  if (storageUrl === filesUrl(dataDir)) return `${dataDir} (${isOwn ? 'database and files' : 'files'})`
  const [files] = storageUrl.split('?')
  return isOwn ? `${dataDir} (database), ${files} (files)` : `${files} (files)`
}
