import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../../src/database/client.ts'
import { grown } from '../support/own-delay.ts'
import type { Person } from '../support/people.ts'

const ageMs = 5_000
/** By so much the clocks may differ before that of PostgreSQL counts (src/messages/send/queries.ts). */
const maxGapMs = 2_200
/** Event and row are due within a second (docs/api.md#messages); the rest is a margin for a slow machine. */
const erasedWithinMs = 3_000

/**
 * Sends a message that explodes after 5 s, and watches it: there until then, in no answer from then on, then
 * erased; give or take what the clocks may differ by.
 */
export async function watchExploding(
  db: Db,
  origin: string,
  person: Person,
  room: string,
  what: string,
): Promise<string[]> {
  const findings: string[] = []
  const headers = { authorization: person.token, 'content-type': 'application/json' }
  const url = `${origin}/rooms/${room}/messages`
  const body = JSON.stringify({ content: what, exploding: true, exploding_age: ageMs / 1000 })
  const askedAt = performance.now()
  const answer = await fetch(url, { method: 'POST', headers, body })
  const answeredAt = performance.now()
  const { data } = (await answer.json()) as { data: { id: string } }

  async function statusAt(at: number): Promise<number> {
    await pause(Math.max(0, at - performance.now()))
    return (await fetch(`${url}/${data.id}`, { headers })).status
  }
  const early = [answeredAt, askedAt + ageMs - maxGapMs]
  for (const at of early) {
    const status = await statusAt(at)
    const isInTime = performance.now() < askedAt + ageMs
    if (status !== 200 && isInTime)
      findings.push(
        `${what}: an exploding message is gone ${Math.round(performance.now() - askedAt)} ms after it was sent`,
      )
  }
  if ((await statusAt(answeredAt + ageMs + maxGapMs)) !== 404) {
    findings.push(
      `${what}: an exploding message of 5 s is still there after ${Math.round(performance.now() - answeredAt)} ms`,
    )
    return findings
  }
  for (;;) {
    const { rows } = await sql`select from messages where room_id = ${room} and id = ${data.id}`.execute(db)
    if (rows.length === 0) return findings
    if (performance.now() > answeredAt + grown(ageMs + maxGapMs + erasedWithinMs))
      return [...findings, `${what}: an exploded message was not erased`]
    await pause(50)
  }
}
