import { changedTables, digestTables } from '../support/digest.ts'
import type { Stage } from '../support/stage.ts'
import type { Hostile } from './hostile.ts'
import { describe, render } from './render.ts'
import type { Scene } from './scene.ts'
import type { Sender } from './sender.ts'

const maxAttempts = 5

/** Looks whether requests that are refused leave every table as it was. */
export function watchTables(stage: Stage, sender: Sender, makeScene: () => Promise<Scene>) {
  let compared = 0

  /**
   * Sends requests, on a scene of which nothing was changed before, until all are refused; gives the tables that
   * changed then. Undefined when some succeed again and again.
   */
  async function tablesChangedBy(hostiles: Hostile[]): Promise<string[] | undefined> {
    let remaining = hostiles
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const scene = await makeScene()
      const before = await digestTables(stage.db)
      const all = remaining.map((hostile) => ({ hostile, bytes: render(hostile, scene) }))
      const { refused, changing } = await sender.sendAll(all)
      if (changing === 0) {
        compared += 1
        return changedTables(before, await digestTables(stage.db))
      }
      remaining = refused.map(({ hostile }) => hostile)
    }
    return undefined
  }

  /** Halves the requests, as long as a half of them changes something. */
  async function narrow(hostiles: Hostile[]): Promise<Hostile[]> {
    if (hostiles.length === 1) return hostiles
    const middle = Math.ceil(hostiles.length / 2)
    for (const half of [hostiles.slice(0, middle), hostiles.slice(middle)]) {
      const changed = await tablesChangedBy(half)
      if (changed !== undefined && changed.length > 0) return narrow(half)
    }
    return hostiles
  }

  async function report(hostiles: Hostile[], tables: string[]): Promise<void> {
    const [first, ...others] = await narrow(hostiles)
    const more = others.length > 0 ? ` (together with ${others.length} more)` : ''
    sender.findings.push(`refused, yet ${tables} changed\n    request: ${describe(first!)}${more}`)
  }

  return {
    compared: () => compared,
    /** Compares the tables with what they were before a batch in which all was refused. */
    async compare(before: Map<string, string>, hostiles: Hostile[]): Promise<void> {
      compared += 1
      const changed = changedTables(before, await digestTables(stage.db))
      if (changed.length > 0) await report(hostiles, changed)
    },
    /** Sends requests that were refused once more, and compares then. */
    async compareRepeated(hostiles: Hostile[]): Promise<void> {
      const changed = await tablesChangedBy(hostiles)
      if (changed !== undefined && changed.length > 0) await report(hostiles, changed)
    },
  }
}
