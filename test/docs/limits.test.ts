import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Environment } from '../../src/config/environment.ts'
import { defaultSettings } from '../../src/gateway/settings.ts'
import { closeCodes } from '../../src/gateway/transport/close-codes.ts'
import { maxEventWeight, minEventWeight } from '../../src/http/load/delivery-weights.ts'
import { readConstants } from './source-constants.ts'

const docs = join(import.meta.dirname, '../../docs')
const constants = readConstants()
const pages = { api: read('api.md'), gateway: read('gateway.md') }

function read(file: string): string {
  return readFileSync(join(docs, file), 'utf8')
}

/** The second cell of the row whose first cell begins with a text. */
function cellOf(page: keyof typeof pages, row: string): string {
  const line = pages[page].split('\n').find((each) => each.startsWith(`| ${row}`))
  return line?.split(' | ')[1] ?? `no row "${row}"`
}

/** The spellings of a number on the pages. */
function waysToWrite(number: number): string[] {
  const [kib, mib] = [1024, 1024 * 1024]
  const inUnit = (unit: number, name: string) => (number % unit === 0 ? [`${number / unit} ${name}`] : [])
  return [number.toLocaleString('en'), ...inUnit(kib, 'KiB'), ...inUnit(mib, 'MiB')]
}

test.each([
  ['api', '`name` of a user', 'maxNameLength'],
  ['api', '`name` of a house', 'maxHouseNameLength'],
  ['api', '`location`', 'maxLocationLength'],
  ['api', '`website`', 'maxWebsiteLength'],
  ['api', '`bio`', 'maxTextLength'],
  ['api', '`email`', 'maxEmailLength'],
  ['api', '`password`', 'minPasswordLength'],
  ['api', '`password`', 'maxPasswordLength'],
  ['api', '`content` of a message', 'maxContentLength'],
  ['api', '`nonce`', 'maxNonceLength'],
  ['api', '`nonce`', 'maxEmojiNameLength'],
  ['api', '`position` of a role', 'maxRolePosition'],
  ['api', '`position` of a room', 'maxRoomPosition'],
  ['api', '`max_uses`', 'maxUses'],
  ['api', '`max_age` of an invite', 'maxAgeSeconds'],
  ['api', '`max_age` of the messages', 'minRetentionSeconds'],
  ['api', '`max_age` of the messages', 'maxRetentionSeconds'],
  ['api', '`exploding_age` |', 'minExplodingSeconds'],
  ['api', '`exploding_age` |', 'maxExplodingSeconds'],
  ['api', '`allow`', 'maxPermissionBits'],
  ['api', 'file name of an attachment', 'maxFilenameLength'],
  ['api', '`q` of a message search', 'maxSearchLength'],
  ['api', 'houses of a user', 'maxMemberships'],
  ['api', 'bots of a user', 'maxBots'],
  ['api', 'friends and open requests', 'maxFriendsAndRequests'],
  ['api', 'blocks of a user', 'maxBlocks'],
  ['api', 'rooms of a house', 'maxRooms'],
  ['api', 'entities of a house', 'maxEntities'],
  ['api', 'roles of a house', 'maxRoles'],
  ['api', 'active invites', 'maxInvites'],
  ['api', 'webhooks of a house', 'maxWebhooks'],
  ['api', 'push subscriptions of a user', 'maxPushSubscriptions'],
  ['api', 'permission overrides', 'maxOverrides'],
  ['api', 'people in a group', 'maxGroupSize'],
  ['api', 'groups that a user owns', 'maxOwnedGroups'],
  ['api', 'emoji that a message', 'maxReactionEmojis'],
  ['api', 'pinned messages', 'maxPins'],
  ['api', 'mentions recorded', 'maxMentions'],
  ['api', 'JSON body of routes that take pictures', 'maxPictureBodyBytes'],
  ['api', 'JSON body of a webhook', 'maxForeignBytes'],
  ['api', 'any other JSON body', 'maxBodyBytes'],
  ['api', 'values in a JSON body', 'maxValues'],
  ['api', 'values in the body of a webhook', 'maxForeignValues'],
  ['api', 'depth of a JSON body', 'maxDepth'],
  ['api', 'picture, decoded', 'maxPictureBytes'],
  ['api', 'picture, pixels', 'maxSidePixels'],
  ['api', 'attachment | 25', 'maxAttachmentBytes'],
  ['api', 'parts of a multipart body', 'maxParts'],
  ['api', 'parts of a multipart body', 'maxFieldBytes'],
  ['gateway', 'frame from a client', 'maxFrameBytes'],
  ['gateway', 'early frame', 'maxEarlyFrameBytes'],
  ['gateway', 'fragments of a message', 'maxFragments'],
  ['gateway', 'chunks of TCP', 'maxBufferedChunks'],
  ['gateway', 'unsent bytes of a connection', 'maxUnsentBytes'],
  ['gateway', 'events during a login', 'maxBufferedEvents'],
  ['gateway', 'ids in one op 6', 'maxWatchedUsers'],
  ['gateway', 'ids in op 6 and 7', 'maxWaitingIds'],
] as const)('docs/%s.md states %s as the code has it (%s)', (page, row, name) => {
  const values = constants.get(name) ?? []
  expect(values, `no constant ${name} in src`).not.toEqual([])
  const cell = cellOf(page, row)
  const written = values.flatMap(waysToWrite).join('|')
  expect(cell).toMatch(new RegExp(`(?<!\\d|\\d,)(?:${written})(?!\\d|,\\d)`))
})

test.each([
  ['messages, with and without', 'RATE_LIMIT_MESSAGES'],
  ['reactions, set and removed', 'RATE_LIMIT_REACTIONS'],
  ['`/auth/…`', 'RATE_LIMIT_AUTH'],
  ['wrong passwords', 'RATE_LIMIT_AUTH'],
  ['registration', 'RATE_LIMIT_REGISTRATION'],
  ['requests with a token', 'RATE_LIMIT_REQUESTS'],
  ['requests without a token', 'RATE_LIMIT_ADDRESS'],
  ['failed gateway logins', 'RATE_LIMIT_GATEWAY'],
  ['mails to addresses', 'RATE_LIMIT_MAILS'],
  ['new private rooms', 'RATE_LIMIT_PRIVATE_ROOMS'],
  ['files of the web client', 'RATE_LIMIT_FILES'],
  ['messages of a webhook', 'RATE_LIMIT_WEBHOOKS'],
] as const)('docs/api.md states the rate limit of %s as %s has it', (row, setting) => {
  const line = pages.api.split('\n').find((each) => each.startsWith(`| ${row}`))
  const [, , , rate, burst] = line!.split(/ ?\| ?/)
  expect(`${rate} burst ${burst!.split(';')[0]}`).toBe(Environment.properties[setting].default)
})

test('docs/api.md states what changes may have delivered', () => {
  const { burst, refillMs } = defaultSettings.deliveredBytes
  const line = pages.api.split('\n').find((each) => each.startsWith('| bytes that changes have delivered'))
  expect(line!.split(/ ?\| ?/).slice(3, 5)).toEqual([
    `${1_000 / refillMs / 2 ** 20} MiB/s`,
    `${burst / 2 ** 20} MiB`,
  ])
  expect(pages.api).toContain(
    `${minEventWeight / 1024} KiB at least and ${maxEventWeight / 2 ** 20} MiB at most`,
  )
})

test('docs/gateway.md lists every close code with its reason', () => {
  const rows = [...pages.gateway.matchAll(/^\| (\d{4}) \| `(\w+)` \|/gm)].map(([, code, reason]) => [
    reason,
    Number(code),
  ])
  expect(rows.sort()).toEqual(Object.entries(closeCodes).sort())
})

test('docs/gateway.md states the times and bounds of a connection', () => {
  const gateway = pages.gateway.replaceAll('\n', ' ')
  const seconds = (ms: number) => `${ms / 1000} s`
  expect(gateway).toContain(`no login within ${seconds(defaultSettings.loginTimeoutMs)}`)
  expect(gateway).toContain(
    `silent for ${seconds(defaultSettings.pingAfterMs)} receives a websocket ping, repeated every ${seconds(defaultSettings.pingEveryMs)}`,
  )
  expect(gateway).toContain(`silent for ${seconds(defaultSettings.closeSilentAfterMs)} is closed`)
  expect(gateway).toContain(`offline ${seconds(defaultSettings.offlineAfterMs)} after`)
  expect(gateway).toContain(`(${defaultSettings.houseJoinDelayMs} ms)`)
  expect(cellOf('gateway', 'connections of a user')).toBe(String(defaultSettings.maxConnectionsPerUser))
  expect(cellOf('gateway', 'sockets of an address')).toBe(
    String(defaultSettings.maxUnauthenticatedPerAddress),
  )
  expect(cellOf('gateway', 'frames from a client')).toBe(`${defaultSettings.maxFramesPerMinute} a minute`)
  expect(cellOf('gateway', 'buffered bytes of all sockets of a person')).toBe(
    waysToWrite(defaultSettings.maxBytesOfPerson).at(-1),
  )
  expect(cellOf('gateway', 'bytes of responses to op 6 and 7')).toBe(
    `${waysToWrite(defaultSettings.answeredBytes.burst).at(-1)}, and 1 MiB/s`,
  )
  expect(defaultSettings.answeredBytes.refillMs).toBe(1_000 / 1_048_576)
  expect(cellOf('gateway', 'connections of a person')).toBe(String(defaultSettings.maxConnectionsPerPerson))
  expect(cellOf('gateway', 'sockets of a person')).toBe(`${defaultSettings.maxRefusedOfPerson} a minute`)
  const { freeOfConnection: free } = defaultSettings
  expect(gateway).toContain(`more than ${free.frames} frames or ${waysToWrite(free.bytes)[1]} `)
})

test.each([
  ['all frames from a client', defaultSettings.maxReceivedOfConnection],
  ['all frames of a person', defaultSettings.maxReceivedOfPerson],
  ['all frames of an address', defaultSettings.maxReceivedOfAddress],
])('docs/gateway.md states %s', (row, { frames, bytes }) => {
  const written = `${waysToWrite(frames)[0]} and ${waysToWrite(bytes).at(-1)} a minute`
  expect(cellOf('gateway', row)).toBe(written)
})
