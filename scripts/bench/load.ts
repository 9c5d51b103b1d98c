import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { firstResult, NoResult } from './attempts.ts'

/** One request of a series that the connections go through in turn. */
export type LoadRequest = { method: string; path: string; headers: Record<string, string>; body?: string }

/** What one run under load gave; latencies in ms. */
export type LoadResult = {
  requests: number
  requestsPerSecond: number
  p50: number
  p90: number
  p99: number
  p999: number
  longest: number
  /** Answers that were no 2xx, and connection failures. */
  failures: number
}

export type Load = {
  name: string
  /** Throws when a request fails. */
  run(origin: string, requests: LoadRequest[], connections: number, seconds: number): Promise<LoadResult>
}

/** wrk where it is installed, else autocannon; the report says which. `folder` takes the scripts that wrk reads. */
export function chooseLoad(folder: string): Load {
  const hasWrk = spawnSync('wrk', ['--version']).error === undefined
  const { name, run }: Load = hasWrk ? wrk(folder) : { name: 'autocannon', run: runAutocannon }
  return {
    name,
    run: (origin, requests, connections, usualSeconds) =>
      firstResult(usualSeconds, async (seconds) => {
        const result = await run(origin, requests, connections, seconds)
        if (result.failures > 0)
          throw new Error(`${result.failures} requests failed: ${requests[0]?.method} ${requests[0]?.path}`)
        if (result.requestsPerSecond === 0) throw new NoResult(`${name} got no answer`)
        return result
      }),
  }
}

/** The timeout of a request. The 2 s default of wrk can pass while the machine stalls. */
const timeoutSeconds = 10

function wrk(folder: string): Load {
  return {
    name: 'wrk',
    async run(origin, requests, connections, seconds) {
      const script = join(folder, 'load.lua')
      await writeFile(script, luaFor(requests))
      const time = ['-d', `${seconds}s`, '--timeout', `${timeoutSeconds}s`]
      const flags = ['-t', '1', '-c', String(connections), ...time, '--latency', '-s', script]
      const child = spawn('wrk', [...flags, origin], { stdio: ['ignore', 'pipe', 'inherit'] })
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      await once(child, 'close')
      const line = output.split('\n').find((one) => one.startsWith('{'))
      if (line === undefined) throw new NoResult(`wrk gave no result: ${output}`)
      return JSON.parse(line) as LoadResult
    },
  }
}

/** A script that sends the requests in turn and prints the result as one line of JSON. */
function luaFor(requests: LoadRequest[]): string {
  const quoted = (text: string) => `[==[${text}]==]`
  const lines = requests.map(({ method, path, headers, body }) => {
    const fields = Object.entries(headers).map(([name, value]) => `[ ${quoted(name)} ]=${quoted(value)}`)
    return `  wrk.format(${quoted(method)}, ${quoted(path)}, {${fields.join(',')}}, ${body === undefined ? 'nil' : quoted(body)}),`
  })
  return `local requests, i
init = function() i = 0; requests = {
${lines.join('\n')}
} end
request = function() i = i % #requests + 1; return requests[i] end
done = function(summary, latency)
  local ms = function(p) return latency:percentile(p) / 1000 end
  local e = summary.errors
  io.write(string.format('{"requests":%d,"requestsPerSecond":%.1f,"p50":%.3f,"p90":%.3f,"p99":%.3f,"p999":%.3f,"longest":%.3f,"failures":%d}\\n',
    summary.requests, summary.requests / (summary.duration / 1e6), ms(50), ms(90), ms(99), ms(99.9), latency.max / 1000,
    e.status + e.connect + e.read + e.write + e.timeout))
end
`
}

async function runAutocannon(origin: string, requests: LoadRequest[], connections: number, seconds: number) {
  const result = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    timeout: timeoutSeconds,
    requests: requests.map((request) => ({ ...request, method: request.method as 'GET' })),
  })
  return {
    requests: result.requests.total,
    requestsPerSecond: result.requests.average,
    p50: result.latency.p50,
    p90: result.latency.p90,
    p99: result.latency.p99,
    p999: result.latency.p99_9,
    longest: result.latency.max,
    failures: result.non2xx + result.errors + result.timeouts,
  }
}
