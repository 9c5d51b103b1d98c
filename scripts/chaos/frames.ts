import fc from 'fast-check'
import { newId } from '../../src/ids.ts'
import { residentMb } from '../bench/processes.ts'
import {
  type Attack,
  brokenFrames,
  failingLogins,
  hostileMessages,
  type Known,
} from './frames/hostile-frames.ts'
import { encode, opcode, RawSocket } from './frames/raw-socket.ts'
import { type Witnesses, watch } from './frames/witnesses.ts'
import { BrokenPromise, type Part } from './part.ts'
import { settledMb } from './support/memory.ts'
import { grown } from './support/own-delay.ts'
import { addPerson } from './support/people.ts'
import { openStage } from './support/stage.ts'

const wanted = { quick: 10_000, long: 300_000 }
const longestMs = { quick: 6_500, long: 1_800_000 }
const atOnce = 12
/** Below the 120 frames a minute that end a connection. */
const framesEach = 110
const patienceMs = 5_000
const maxLatencyMs = 3_000
const maxGrownMb = 120

export const frames: Part = {
  name: 'frames',
  promise:
    'whatever a client of the gateway sends, at most its own connection is closed, with the code that says why',
  async run({ quick, seed, minutes }) {
    const size = quick ? 'quick' : 'long'
    const stage = await openStage()
    try {
      const server = await stage.startServer()
      const [attacker, ...others] = await Promise.all(Array.from({ length: 4 }, () => addPerson(stage.db)))
      const witnesses = await watch(server.origin, others)
      const { house_id } = witnesses
      const known: Known = {
        token: attacker!.token,
        houseId: house_id,
        userIds: others.map(({ id }) => id),
        sessionId: newId().padStart(32, '0'),
      }
      const findings: string[] = []
      const beforeMb = await residentMb(server.child)
      const deadline = performance.now() + (minutes === null ? longestMs[size] : minutes * 60_000)
      for (const attack of brokenFrames) findings.push(...(await tryOne(server.port, known, attack, true)))
      for (const attack of failingLogins(known))
        findings.push(...(await tryOne(server.port, known, attack, false)))
      let [sent, turn] = [0, 0]
      const isOver = () => sent >= wanted[size] || performance.now() > deadline || findings.length > 0
      const run = async () => {
        do {
          turn += 1
          const attacks = fc.sample(hostileMessages(known), { numRuns: framesEach, seed: seed + turn })
          const result = await tryMany(server.port, known, attacks)
          sent += result.sent
          findings.push(...result.findings)
        } while (!isOver())
      }
      await Promise.all(Array.from({ length: atOnce }, run))
      const seen = await witnesses.end()
      const grownMb = Math.round((await settledMb(server, beforeMb, maxGrownMb)) - beforeMb)
      const figures = {
        seed,
        'frames, of them random': `${sent + brokenFrames.length + failingLogins(known).length}, ${sent}`,
        connections: turn + brokenFrames.length + failingLogins(known).length,
        'messages to the other sockets': seen.messages,
        'slowest of them': `${seen.slowestMs} ms`,
        'resident memory grew by': `${grownMb} MB`,
      }
      findings.push(...seen.findings, ...judge(server, seen, grownMb))
      if (findings.length > 0) throw new BrokenPromise(findings.slice(0, 5).join('\n  '), figures)
      return figures
    } finally {
      await stage.close()
    }
  },
}

/** Of the lines of the log: less is no report. */
const warnLevel = 40

function judge(
  server: { child: { exitCode: number | null }; output(): string },
  seen: Awaited<ReturnType<Witnesses['end']>>,
  grownMb: number,
): string[] {
  const findings: string[] = []
  if (server.child.exitCode !== null) findings.push('the server has ended')
  const errors = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && JSON.parse(line).level >= warnLevel)
  if (errors.length > 0) findings.push(`the server reported: ${errors.join(' ').slice(0, 2_000)}`)
  if (seen.messages === 0) findings.push('the other sockets got no message')
  if (seen.slowestMs > grown(maxLatencyMs))
    findings.push(`a message to another socket took ${seen.slowestMs} ms`)
  if (grownMb > maxGrownMb) findings.push(`resident memory grew by ${grownMb} MB`)
  return findings
}

/** Opens a connection, which logs in if wanted. */
async function connection(port: number, known: Known, logsIn: boolean): Promise<RawSocket> {
  const socket = await RawSocket.open(port)
  if (!logsIn) return socket
  const login = Buffer.from(JSON.stringify({ op: 2, d: { token: known.token } }))
  socket.write(encode({ opcode: opcode.text, payload: login }))
  await socket.event('INIT_STATE', grown(patienceMs))
  return socket
}

async function tryOne(port: number, known: Known, attack: Attack, logsIn: boolean): Promise<string[]> {
  const socket = await connection(port, known, logsIn)
  socket.write(attack.bytes)
  return outcome(socket, attack)
}

/** One connection sends one after the other, until it is closed or all are sent. */
async function tryMany(
  port: number,
  known: Known,
  attacks: Attack[],
): Promise<{ sent: number; findings: string[] }> {
  const socket = await connection(port, known, true)
  let sent = 0
  for (const attack of attacks) {
    socket.write(attack.bytes)
    sent += 1
    if (attack.code !== null || sent === attacks.length)
      return { sent, findings: await outcome(socket, attack) }
  }
  return { sent, findings: [] }
}

/** What went otherwise than it must. */
async function outcome(socket: RawSocket, { code, what }: Attack): Promise<string[]> {
  try {
    const isAlive = code === null && (await socket.isAlive(grown(patienceMs)))
    const ended = isAlive ? null : await socket.end(grown(patienceMs))
    return ended === code ? [] : [`closed with ${ended ?? socket.error} instead of ${code}: ${what}`]
  } catch (error) {
    return [`${(error as Error).message}: ${what}`]
  } finally {
    socket.cut()
  }
}
