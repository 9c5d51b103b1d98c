import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { randomFrom } from '../../test/support/random.ts'
import type { Server } from '../../test/support/server.ts'
import { residentMb } from '../bench/processes.ts'
import { BrokenPromise, type Part } from './part.ts'
import { readRiff } from './pictures/containers.ts'
import { makePng } from './pictures/png.ts'
import { listSpecimens, marker, type Specimen } from './pictures/specimens.ts'
import { settledMb } from './support/memory.ts'
import { grown } from './support/own-delay.ts'
import { addPerson, ask, type Person } from './support/people.ts'
import { openStage } from './support/stage.ts'

/** As the Dockerfile has it: without, the C library keeps what large pictures took. */
const asInImage = { MALLOC_MMAP_THRESHOLD_: '131072' }
const maxMb = 100
const maxOtherMs = 2_000
const atOnce = 3
const iconSide = 512
const maxHeaderSide = 1_500
const maxPictureBytes = 8 * 1024 * 1024

export const pictures: Part = {
  name: 'pictures',
  promise: 'a picture is refused or comes out clean, memory stays bounded, and others are answered meanwhile',
  async run({ quick, seed }) {
    const stage = await openStage()
    try {
      const server = await stage.startServer(asInImage)
      const people = await Promise.all(Array.from({ length: atOnce }, () => addPerson(stage.db)))
      const specimens = await listSpecimens(quick, randomFrom(seed).number)
      await warmUp(server, people[0]!)
      const before = await residentMb(server.child)
      const others = askMeanwhile(server, await addPerson(stage.db))
      const findings: string[] = []
      const waiting = specimens.flatMap((each, n) =>
        kindsFor(each, n, quick).map((kind) => [each, kind] as const),
      )
      const sent = waiting.length
      const work = people.map(async (person) => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const finding = await judge(server, person, ...next)
          if (finding !== undefined) findings.push(`${next[0].name} as ${next[1]}: ${finding}`)
        }
      })
      await Promise.all(work)
      const { slowest, answers } = await others.stop()
      const after = await settledMb(server, before, maxMb)
      const figures = {
        seed,
        pictures: specimens.length,
        'sent as icons and headers': sent,
        'memory before, MB': Math.round(before),
        'memory after, MB': Math.round(after),
        'memory at the most, MB': Math.round(await residentMb(server.child, 'VmHWM')),
        'other requests meanwhile': answers,
        'slowest of them, ms': Math.round(slowest),
      }
      if (after - before > maxMb) findings.push(`memory grew by ${Math.round(after - before)} MB`)
      if (slowest > grown(maxOtherMs)) findings.push(`another request took ${Math.round(slowest)} ms`)
      if (findings.length > 0) throw new BrokenPromise(findings.join('\n  '), figures)
      return figures
    } finally {
      await stage.close()
    }
  },
}

type Kind = 'icon' | 'header'

/** Of those that come in many variants, a quick run sends each as one of the two. */
function kindsFor({ name }: Specimen, place: number, quick: boolean): Kind[] {
  if (quick && /wrong bytes|cut off/.test(name)) return [place % 2 === 0 ? 'icon' : 'header']
  return ['icon', 'header']
}

/** Sends ordinary pictures of each format: what the library and the memory's pools take for them is no leak. */
async function warmUp(server: Server, person: Person): Promise<void> {
  for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
    const bytes = await sharp(makePng({ width: 1_600, height: 1_200, colour: 6 }))
      .toFormat(format)
      .toBuffer()
    for (const kind of ['icon', 'header'] as const) {
      const finding = await judge(server, person, { name: format, bytes, must: 'be taken' }, kind)
      if (finding !== undefined) throw new Error(`an ordinary ${format}: ${finding}`)
    }
  }
}

/** Sends a picture as an own icon or header, and says what is wrong with what became of it. */
async function judge(
  server: Server,
  person: Person,
  specimen: Specimen,
  kind: Kind,
): Promise<string | undefined> {
  const { bytes, must } = specimen
  const headers = { authorization: person.token, 'content-type': 'application/json' }
  const body = JSON.stringify({ [kind]: bytes.toString('base64') })
  const answer = await fetch(`${server.origin}/users/@me`, { method: 'PATCH', headers, body })
  const { data, error } = (await answer.json()) as { data?: Record<Kind, string>; error?: { code: string } }
  if (answer.status !== 200) {
    const expected =
      bytes.length > maxPictureBytes ? [413, 'payload_too_large'] : [400, `invalid_${kind}_file_format`]
    if (answer.status !== expected[0] || error?.code !== expected[1])
      return `answered ${answer.status} ${error?.code}`
    return must === 'be taken' ? 'refused' : undefined
  }
  if (must === 'be refused') return 'taken'
  const stored = await fetch(`${server.origin}/users/${person.id}/${kind}s/${data![kind]}`)
  if (stored.status !== 200) return `the stored picture is answered with ${stored.status}`
  return findStain(Buffer.from(await stored.arrayBuffer()), specimen, kind)
}

const cleanChunks = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF'])

/** What of a stored picture should not be there. */
async function findStain(webp: Buffer, { frames = 1 }: Specimen, kind: Kind): Promise<string | undefined> {
  const unclean = readRiff(webp).filter(({ type }) => !cleanChunks.has(type))
  if (unclean.length > 0) return `stored with ${unclean.map(({ type }) => type)}`
  if (webp.includes(marker)) return 'stored with its metadata'
  const { format, width, height, pages = 1, exif, icc, xmp } = await sharp(webp).metadata()
  if (format !== 'webp' || exif || icc || xmp) return `stored as ${format}, with metadata`
  if (pages !== (kind === 'icon' ? frames : 1)) return `stored with ${pages} frames`
  if (kind === 'icon' && (width !== iconSide || height !== iconSide)) return `stored as ${width} × ${height}`
  return Math.max(width, height) > (kind === 'icon' ? iconSide : maxHeaderSide)
    ? `stored as ${width} × ${height}`
    : undefined
}

/** Asks for something small again and again, until stopped. */
function askMeanwhile(server: Server, person: Person) {
  let [isOver, slowest, answers] = [false, 0, 0]
  const asking = (async () => {
    while (!isOver) {
      const since = performance.now()
      await ask(server.origin, person.token, 'GET', '/users/@me')
      slowest = Math.max(slowest, performance.now() - since)
      answers += 1
      await pause(20)
    }
  })()
  // Told by `stop`: until then nobody listens.
  asking.catch(() => {})
  return {
    async stop() {
      isOver = true
      await asking
      return { slowest, answers }
    },
  }
}
