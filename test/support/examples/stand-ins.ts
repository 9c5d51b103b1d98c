import { createHash } from 'node:crypto'
import { firstIdAt } from '../../../src/ids.ts'
import { bucketOf } from '../../../src/messages/serializers.ts'
import { config } from '../world.ts'
import { file, invites, pictures, totpSecret } from './village.ts'

/** When the examples are asked for, as they tell it: everything in the village is older. */
const now = Date.parse('2024-05-05T18:30:00Z')
const firstNewId = BigInt(firstIdAt(now))

const idPattern = /\b[1-9][0-9]{16,18}\b/g
const timePattern = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g
const webhookPattern = /(?<=\/webhooks\/\d+\/)[0-9a-f]{128}/g
const keyPattern = /(?<=\?key=)[0-9a-f]{32}\b/g

const newToken = createHash('sha512').update('a new token').digest('hex')

/** What the server makes by chance, by the name of its field, and what is shown in its place. */
const chance: [name: string, pattern: RegExp, shown: string][] = [
  ['token', /^[0-9a-f]{128}$/, newToken],
  ['icon', /^[0-9a-f]{40}\.webp$/, `${'d4'.repeat(20)}.webp`],
  ['header', /^[0-9a-f]{40}\.webp$/, `${'e5'.repeat(20)}.webp`],
  ['code', /^[0-9A-Za-z]{6}$/, 'hE4rTh'],
  ['secret', /^[A-Z2-7]{32}$/, totpSecret],
]
/** What differs by machine. */
const sizes: Record<string, number> = { memory_bytes: 125_829_120, database_bytes: 15_728_640, sockets: 0 }
const backupCodes = 'abcdefghjk'.split('').map((letter) => `${letter}2b3c4d5e6`)
const kept: unknown[] = [...Object.values(pictures), ...Object.values(invites)]

/** An answer with all that differs each time (ids, times, tokens) put as the examples always have it. */
export function standIns(answer: object): object {
  const text = JSON.stringify(answer, shown)
  const newIds = [...new Set(text.match(idPattern))].filter((id) => BigInt(id) > firstNewId).sort()
  const settled = text
    .replaceAll(idPattern, (id) =>
      newIds.includes(id) ? String(firstNewId + BigInt(newIds.indexOf(id))) : id,
    )
    .replaceAll(timePattern, (time) => (Date.parse(time) > now ? new Date(now).toISOString() : time))
    .replaceAll(config.publicUrl!, 'https://chat.example.org')
    .replaceAll(webhookPattern, newToken)
    .replaceAll(keyPattern, (key) => (key === file.key ? key : '6b'.repeat(16)))
  return JSON.parse(settled)
}

function shown(name: string, value: unknown): unknown {
  if (name === 'bucket') return Math.min(value as number, bucketOf(now))
  if (name === 'backup_codes') return backupCodes
  if (typeof value === 'number' && name in sizes) return sizes[name]
  if (typeof value === 'number') return Math.min(value, now)
  if (typeof value !== 'string' || kept.includes(value)) return value
  if (name === 'otpauth_url') return value.replace(/(?<=secret=)[A-Z2-7]{32}/, totpSecret)
  return chance.find(([field, pattern]) => field === name && pattern.test(value))?.[2] ?? value
}
