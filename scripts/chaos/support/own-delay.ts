import { monitorEventLoopDelay } from 'node:perf_hooks'

/** A request waits for a processor in so many processes, one after the other. */
const hops = 5
/** How far back a time that is judged may reach. */
const keptMs = 60_000
const takeEveryMs = 1_000
const resolutionMs = 10
/** A bound never grows past so many times what it is. */
const mostTimes = 5
/** How late this process is taken to be on a busy machine. */
const busyMs = 200

let isBusy = false

const delays = monitorEventLoopDelay({ resolution: resolutionMs })
delays.enable()
let latestMs: number[] = []
setInterval(() => {
  latestMs = [...latestMs, longestMs()].slice(-keptMs / takeEveryMs)
  delays.reset()
}, takeEveryMs).unref()

function longestMs(): number {
  return Math.max(0, delays.max / 1e6 - resolutionMs)
}

/**
 * Takes the machine to be busy, even where this process is not late: others may be. Bounds are then for what is out of all
 * proportion.
 */
export function assumeBusyMachine(): void {
  isBusy = true
}

/** By how many ms longer an answer may take because the machine is busy: each of its processes is as late as this one. */
export function allowedDelayMs(ownDelayMs: number): number {
  return hops * Math.max(isBusy ? busyMs : 0, ownDelayMs)
}

/** A bound of a quiet machine, in ms, and what this process was late at most within the last minute allows for. */
export function grown(boundMs: number): number {
  const mostMs = mostTimes * boundMs
  return isBusy ? mostMs : Math.min(boundMs + allowedDelayMs(Math.max(longestMs(), ...latestMs)), mostMs)
}
