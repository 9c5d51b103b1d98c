import { repeat } from '../../concurrency/repeat.ts'
import type { FreeSpace } from './free-space.ts'

/** `low`: less than twice the reserve is free. `full`: less than the reserve is, so nothing may grow. */
export type SpaceState = 'unknown' | 'enough' | 'low' | 'full'

/** The space of the database when it was last read. */
export type DatabaseSpace = {
  readonly state: SpaceState
  /** Undefined: not known. */
  readonly freeBytes: number | undefined
}

/** The space of a database about which nothing is known. */
export const unknownSpace: DatabaseSpace = { state: 'unknown', freeBytes: undefined }

const longestPauseMs = 10_000
const shortestPauseMs = 500
/** Bytes a second. No disk fills faster, so the next read comes before the reserve can be used up. */
const fastestGrowth = 100_000_000

export function stateOf({ freeBytes, reserveBytes }: FreeSpace): SpaceState {
  if (freeBytes < reserveBytes) return 'full'
  return freeBytes < 2 * reserveBytes ? 'low' : 'enough'
}

/** The time until the next read in ms: the less is left above the reserve, the shorter. */
export function pauseAfter({ freeBytes, reserveBytes }: FreeSpace): number {
  const untilFullMs = ((freeBytes - reserveBytes) / fastestGrowth) * 1_000
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, untilFullMs))
}

type SpaceListener = {
  /** Called when the state has changed, and at once if little or nothing is left. */
  changed(space: DatabaseSpace): void
  /** Called with the first of consecutive failed reads. The last state stays meanwhile. */
  failed(error: unknown): void
}

type SpaceWatch = {
  space: DatabaseSpace
  listen(listener: SpaceListener): void
  /** Waits for a read in progress. */
  stop(): Promise<void>
}

/** Reads the space of a database again and again. Settles after the first read. Without `read` it stays unknown. */
export async function watchSpace(read: (() => Promise<FreeSpace>) | undefined): Promise<SpaceWatch> {
  if (!read) return { space: unknownSpace, listen: () => {}, stop: async () => {} }
  const space: { -readonly [Key in keyof DatabaseSpace]: DatabaseSpace[Key] } = { ...unknownSpace }
  let listener: SpaceListener | undefined
  let failure: unknown

  function set(state: SpaceState, freeBytes: number | undefined): void {
    const hasChanged = state !== space.state
    Object.assign(space, { state, freeBytes })
    if (hasChanged) listener?.changed(space)
  }

  const { promise: looked, resolve } = Promise.withResolvers<void>()
  const stop = repeat({
    async run() {
      const found = await read()
      failure = undefined
      set(stateOf(found), found.freeBytes)
      resolve()
      return pauseAfter(found)
    },
    pauseAfterFailureMs: longestPauseMs,
    report(error) {
      failure = error
      listener?.failed(error)
      resolve()
    },
  })
  await looked
  return {
    space,
    listen(added) {
      listener = added
      if (space.state === 'low' || space.state === 'full') added.changed(space)
      if (failure !== undefined) added.failed(failure)
    },
    stop,
  }
}
