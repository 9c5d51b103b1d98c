import { randomUUID } from 'node:crypto'
import { tryOidcProvider } from '../../auth/oidc.ts'
import type { Config } from '../../config.ts'
import { reasonOf } from '../../errors.ts'
import { tryMailServer } from '../../mail/mailer.ts'
import { openStore } from '../../storage/open.ts'
import { attempt, type Finding, note, ok, wrong } from './findings.ts'

/** Writes a file, looks it up and removes it, also when it cannot be looked up. */
export async function checkStore(config: Config): Promise<Finding> {
  const name = `doctor-${randomUUID()}`
  try {
    const store = await openStore(config.storageUrl)
    await store.write(name, Buffer.from('ok'))
    const found = await store.find(name).finally(() => store.remove(name))
    if (found?.size === 2) return ok('files', 'The store of the files can be written and read.')
    return wrong('files', 'STORAGE_URL cannot be used: what is written there is not found again.')
  } catch (error) {
    const [reason] = reasonOf(error).split('\n')
    return wrong('files', `STORAGE_URL, or DATA_DIR, cannot be used for files: ${reason}.`)
  }
}

export async function checkMail({ smtpUrl }: Config): Promise<Finding> {
  if (smtpUrl === undefined) {
    const sentence = 'SMTP_URL is not set: no mail goes out, codes come from "npm run hearth -- issue-code".'
    return note('mail_server', sentence)
  }
  return attempt('mail_server', 'SMTP_URL', 'The mail server answers.', () => tryMailServer(smtpUrl))
}

export async function checkRedis({ redisUrl }: Config): Promise<Finding> {
  if (redisUrl === undefined) {
    const sentence = 'REDIS_URL is not set: several servers tell each other what happens over the database.'
    return note('redis', sentence)
  }
  return attempt('redis', 'REDIS_URL', 'Redis answers.', async () => {
    const { openRedisRelay } = await import('../../events/redis-relay.ts')
    const relay = await openRedisRelay(redisUrl)
    await relay.close()
    const { openRedisBuckets } = await import('../../http/load/redis-buckets.ts')
    const failures: unknown[] = []
    const buckets = await openRedisBuckets(redisUrl, { began: (reason) => failures.push(reason), ended() {} })
    await buckets.close()
    if (failures.length > 0) throw failures[0]
  })
}

/** Whether the provider of OpenID Connect says where its addresses are, as a login needs. */
export async function checkOidc({ oidc }: Config): Promise<Finding[]> {
  if (!oidc) return []
  return [
    await attempt('oidc', 'OIDC_ISSUER', 'The provider of OpenID Connect answers.', () =>
      tryOidcProvider(oidc),
    ),
  ]
}
