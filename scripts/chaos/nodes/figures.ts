import { median } from '../../percentile.ts'
import type { Figures } from '../part.ts'
import type { Delivery } from './delivery.ts'
import type { Outcome, Watched } from './rounds.ts'

/** How fast messages are delivered, and what that costs. */
export function describeDelivery(setting: string, delivery: Delivery): Figures {
  const { aloneMs, elsewhereMs, cpuOfSenderMs, cpuWithoutReadersMs } = delivery
  return {
    [`${setting}: from request to event at one process alone, and at another of three, p50`]: `${aloneMs.toFixed(1)}, ${elsewhereMs.toFixed(1)} ms`,
    [`${setting}: CPU of a message at its process, and at one without readers`]: `${cpuOfSenderMs.toFixed(2)}, ${cpuWithoutReadersMs.toFixed(2)} ms`,
  }
}

/** What was sent in all rounds, and a row for each thing that was done. */
export function describeRounds(
  setting: string,
  { traffic, watchers }: Pick<Watched, 'traffic' | 'watchers'>,
  outcomes: readonly Outcome[],
): Figures {
  const sum = (rounds: Outcome[], name: 'resumed' | 'refused' | 'logins' | 'ended' | 'repeated') =>
    rounds.reduce((total, each) => total + each[name], 0)
  const rows = [...Map.groupBy(outcomes, ({ name }) => name)].map(([name, rounds]) => {
    const row = {
      rounds: rounds.length,
      'all clients ready after, p50': `${Math.round(median(rounds.map(({ readyMs }) => readyMs)))} ms`,
      'sessions resumed': sum(rounds, 'resumed'),
      'resumes refused': sum(rounds, 'refused'),
      'logins anew': sum(rounds, 'logins'),
      'sessions ended at other processes': sum(rounds, 'ended'),
      'messages repeated after a login': sum(rounds, 'repeated'),
    }
    return [`${setting}: ${name}`, row] as const
  })
  const { messages, changes, 'asked again': repeats } = traffic.counts
  return {
    [`${setting}: sockets`]: watchers.length,
    [`${setting}: messages, changes, requests repeated`]: `${messages}, ${changes}, ${repeats}`,
    ...Object.fromEntries(rows),
  }
}
