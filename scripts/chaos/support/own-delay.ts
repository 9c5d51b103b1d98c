import { monitorEventLoopDelay } from 'node:perf_hooks'

/** A request waits for a processor in so many processes, one after the other. */
const hops = 5
/** How far back a time that is judged may reach. */
const keptMs = 60_000
const takeEveryMs = 1_000
const resolutionMs = 10
/** A bound never grows past so many times what it is. */
const mostTimes = 5

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
 * A bound of a quiet machine, in ms, and by how much longer an answer may take because the machine is busy: every process
 * of a request is as late as this one was at most within the last minute.
 */
export function grown(boundMs: number): number {
  return Math.min(boundMs + hops * Math.max(longestMs(), ...latestMs), mostTimes * boundMs)
}
