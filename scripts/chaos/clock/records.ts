import { idTimeMs } from '../../../src/ids.ts'
import { ask, type Person } from '../support/people.ts'

/** Keeps what was seen of ids and times, and says what is wrong with it. */
export function keepRecords() {
  const findings: string[] = []
  let greatest = 0n
  let ids = 0

  /** Notes ids that were made after all those noted before. */
  function note(what: string, made: string[]): void {
    const before = greatest
    for (const id of made) {
      ids += 1
      if (BigInt(id) <= before)
        findings.push(`${what}: the id ${id} is not greater than ${before}, made before it`)
      if (BigInt(id) > greatest) greatest = BigInt(id)
    }
  }

  /** Sends messages to rooms, one after the other in each: their ids rise, and hold their times. */
  async function sendMessages(origin: string, person: Person, rooms: string[], what: string): Promise<void> {
    const made = await Promise.all(
      rooms.map(async (room) => {
        const sent: string[] = []
        for (let n = 0; n < 4; n += 1) {
          const { id, timestamp } = await ask(origin, person.token, 'POST', `/rooms/${room}/messages`, {
            content: `${what} ${n}`,
          })
          if (sent.length > 0 && BigInt(id) <= BigInt(sent.at(-1)!))
            findings.push(`${what}: ${id} came after ${sent.at(-1)}`)
          if (idTimeMs(id) !== timestamp)
            findings.push(`${what}: ${id} says ${idTimeMs(id)}, its message ${timestamp}`)
          sent.push(id)
        }
        const listed = await ask(origin, person.token, 'GET', `/rooms/${room}/messages?limit=4`)
        for (const { id, timestamp } of listed as { id: string; timestamp: string }[]) {
          if (Date.parse(timestamp) !== idTimeMs(id))
            findings.push(`${what}: ${id} is listed with the time ${timestamp}`)
        }
        return sent
      }),
    )
    note(what, made.flat())
  }

  return { findings, note, sendMessages, count: () => ids }
}
