import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp, { type Create } from 'sharp'
import type { Db } from '../../../src/database/client.ts'
import { newId } from '../../../src/ids.ts'
import { openFolderStore } from '../../../src/storage/store.ts'
import { addBots, addPerson, type Person } from '../support/people.ts'
import type { Course, WeightAttack } from './attack.ts'
import { attackersAddress, ordersOf } from './attack.ts'
import { addHouse } from './scenes.ts'

/** The most downloads of one address (docs/api.md#rate-limits). */
const mostDownloads = 128
const fileBytes = 12_000_000

const addresses = Array.from({ length: 10 }, (_none, n) => `127.0.2.${n + 1}`)

/** Attacks with files: documents, attachments and pictures. */
export const files: WeightAttack[] = [
  {
    name: 'the documents of /docs, from ten addresses',
    async prepare() {
      const asked = ['/docs/json', '/docs/yaml', '/docs/events.json'].map((path) => {
        return { method: 'GET', path }
      })
      return {
        orders: addresses.map((from) => ({ kind: 'requests', from, token: null, atOnce: 4, asked })),
      }
    },
  },
  {
    name: '1,000 downloads of an address that are not read',
    async prepare({ db, people }) {
      const folder = await mkdtemp(join(tmpdir(), 'hearth-downloads-'))
      const path = await addAttachment(db, people[0]!, folder)
      const text = `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
      return {
        orders: [
          { kind: 'open connections', from: attackersAddress, count: 1_000, atOnce: 5, text, isUnread: true },
        ],
        environment: { STORAGE_URL: pathToFileURL(folder).href },
        judge({ toll }) {
          const begun = toll.answers['200'] ?? 0
          return begun <= mostDownloads ? [] : [`${begun} downloads of one address were open at once`]
        },
        close: () => rm(folder, { recursive: true, force: true }),
      }
    },
  },
  {
    name: 'animations of three people and their bots',
    async prepare({ db, people }) {
      const owners = people.slice(0, 3)
      const bots = (await Promise.all(owners.map((owner) => addBots(db, owner, 3)))).flat()
      const icon = (await animation()).toString('base64')
      const [light, heavy] = [await addPerson(db), await addPerson(db)]
      const small = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#369' } })
        .png()
        .toBuffer()
      const change = { method: 'PATCH', path: '/users/@me' }
      const sent = {
        light: JSON.stringify({ icon: small.toString('base64') }),
        heavy: JSON.stringify({ icon }),
      }
      return {
        orders: ordersOf([...owners, ...bots], 2, [{ ...change, body: { icon } }]),
        probes: [
          { name: 'picture', ...change, token: light.token, body: () => sent.light, restMs: 300 },
          { name: 'animation', ...change, token: heavy.token, body: () => sent.heavy, restMs: 1_000 },
        ],
        judge: (course) => [
          ...faults(course, 'picture', /[45]\d\d/),
          ...faults(course, 'animation', /4\d\d/),
        ],
      }
    },
  },
]

/** The faults of the answers to somebody else, who sent a proper picture. */
function faults({ during }: Course, probe: string, wrong: RegExp): string[] {
  const { statuses } = during.seen.get(probe)!
  return wrong.test(statuses.replace(/\d+ ×/g, ''))
    ? [`a ${probe} of somebody else was refused: ${statuses}`]
    : []
}

/** A message with a large file, and the path of the file. */
async function addAttachment(db: Db, author: Person, folder: string): Promise<string> {
  const { rooms } = await addHouse(db, [author], 1)
  const [room_id, key, id] = [rooms[0]!, 'a'.repeat(32), newId()]
  await openFolderStore(folder).write(`attachments/${room_id}/${key}`, Buffer.alloc(fileBytes, 'x'))
  const attachment = { key, filename: 'x', content_type: 'application/octet-stream', size: fileBytes }
  await db
    .insertInto('messages')
    .values({
      room_id,
      id,
      author_id: author.id,
      device_id: author.session_id,
      content: '',
      attachment: JSON.stringify({ ...attachment, dimensions: null }),
    })
    .execute()
  return `/attachments/${room_id}/${id}/x?key=${key}`
}

/** An animation with the most frames that are kept. Its noise takes long to encode. */
async function animation(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const create = { width: 450, height: 450, channels: 3, background: '#fff', noise } as Create
  const frames = await Promise.all(Array.from({ length: 60 }, () => sharp({ create }).png().toBuffer()))
  return sharp(frames, { join: { animated: true } })
    .webp({ quality: 5, effort: 0 })
    .toBuffer()
}
