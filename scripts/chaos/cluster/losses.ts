import type { Random } from '../../../test/support/random.ts'
import type { Arrangement } from '../../cluster/arrangement.ts'
import type { Disturbance } from '../nodes/disturbances.ts'
import type { Traffic } from '../nodes/traffic.ts'
import type { Files } from './files.ts'

/** The number of messages that are sent while something is gone. */
const sentMeanwhile = 5
/** From the loss of the primary until the standby is promoted, at most. */
const longestWaitMs = 1_000

export type Scene = {
  parts: Arrangement
  traffic: Traffic
  files: Files
  random: Random
  quick: boolean
  /** From each promotion to the next message that was acknowledged. */
  backAfterMs: number[]
}

/** A part of the arrangement that is lost while messages are sent. */
export type Loss = Disturbance<Scene>

/** The proxy does not say which Hearth a connection is at: part `nodes` checks that those at others go on. */
const mayEnd = () => true

const killHearth: Loss = {
  name: 'a Hearth killed',
  async act({ parts }, round) {
    await parts.replace(round % parts.hearths.length, 'SIGKILL')
  },
  mayEnd,
}

const upgrade: Loss = {
  name: 'Hearths replaced one after another',
  async act({ parts, traffic, quick }, round) {
    const count = quick ? 1 : parts.hearths.length
    for (let turn = 0; turn < count; turn += 1) {
      const code = await parts.replace((round + turn) % parts.hearths.length, 'SIGTERM')
      if (code !== 0) traffic.findings.push(`a Hearth that was stopped ended with ${code}`)
    }
  },
  mayEnd,
}

const killValkey: Loss = {
  name: 'Valkey killed',
  async act({ parts, traffic }) {
    await parts.valkey.kill()
    await traffic.goOn(sentMeanwhile)
    await parts.valkey.start()
  },
}

const stopStore: Loss = {
  name: 'store stopped',
  act: ({ parts, traffic, files }) =>
    parts.store.stopWhile(async () => {
      const status = await files.upload()
      if (status !== 503) traffic.findings.push(`without a store an attachment was answered ${status}`)
      await traffic.goOn(sentMeanwhile)
    }),
}

const losePrimary: Loss = {
  name: 'primary killed, standby promoted',
  async act({ parts, traffic, random, quick, backAfterMs }) {
    await parts.failOver(random.number() * longestWaitMs)
    const promoted = performance.now()
    await traffic.goOn(1)
    backAfterMs.push(performance.now() - promoted)
    await traffic.goOn(sentMeanwhile)
    // A quick run loses nothing after this.
    if (!quick) await parts.restoreStandby()
  },
  mayEnd,
}

const killProxy: Loss = {
  name: 'proxy killed',
  async act({ parts }) {
    await parts.proxy.kill()
    await parts.proxy.start()
  },
  mayEnd,
}

const killTwo: Loss = {
  name: 'a Hearth and Valkey killed at once',
  async act(scene, round) {
    const { parts, traffic } = scene
    await Promise.all([parts.valkey.kill(), parts.hearths[round % parts.hearths.length]!.end('SIGKILL')])
    await traffic.goOn(sentMeanwhile)
    // A Hearth starts only where there is a Valkey.
    await parts.valkey.start()
    await parts.replace(round % parts.hearths.length, 'SIGKILL')
  },
  mayEnd,
}

/** Each once in a quick run, and in random order again and again in a long one. */
export const losses: Record<'quick' | 'long', Loss[]> = {
  quick: [killTwo, stopStore, killProxy, losePrimary],
  long: [killHearth, upgrade, killValkey, stopStore, killProxy, losePrimary, killTwo],
}
