// A share of the crowd, in a process of its own. From the parent: {origin, people}, then 'count' again and again, which is
// answered once all are logged in. They leave when the parent disconnects.
import { Listener } from '../support/listener.ts'
import type { Person } from '../support/people.ts'

export type Order = { origin: string; people: Person[] }
export type Heard = { messages: number; findings: string[] }

const loginsAtOnce = 50
const heartbeatMs = 30_000

const listeners: Listener[] = []
const failures: string[] = []
let loggingIn: Promise<void> | undefined

async function logIn({ origin, people }: Order): Promise<void> {
  for (let from = 0; from < people.length; from += loginsAtOnce) {
    const next = people.slice(from, from + loginsAtOnce).map((one) => new Listener(origin, one, heartbeatMs))
    listeners.push(...next)
    await Promise.all(next.map((listener) => listener.logIn()))
  }
}

function count(): Heard {
  const heard = listeners.flatMap((listener) => [...listener.heard.values()])
  const findings = listeners.flatMap((listener) => listener.findings)
  return {
    messages: heard.reduce((sum, ids) => sum + ids.length, 0),
    findings: [...failures, ...findings].slice(0, 5),
  }
}

process.on('message', async (order: Order | 'count') => {
  if (order !== 'count') {
    loggingIn = logIn(order).catch((error: Error) => void failures.push(error.message))
    return
  }
  await loggingIn
  process.send!(count())
})
process.on('disconnect', () => {
  for (const listener of listeners) listener.close()
})
