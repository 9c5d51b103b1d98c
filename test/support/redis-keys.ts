import { createHash } from 'node:crypto'
import { LuaFactory } from 'wasmoon'

export type Value = string | number | null | Value[]
/** Runs a command; undefined if there is none of that name. Throws the text of a refusal. */
type Run = (name: string, args: string[]) => Value | undefined

/**
 * The keys of a Redis that stands in for a server, and its scripts, which a Lua runs (5.4; Redis has 5.1). `now` gives
 * the time in µs.
 */
export async function openKeys(now: () => number): Promise<{ run: Run }> {
  const keys = new Map<string, { value: string; expiresAtMs: number }>()
  const scripts = new Map<string, string>()
  const lua = await new LuaFactory().createEngine({ enableProxy: false })
  lua.global.set('redis', {
    // A missing value is false in a script.
    call: (name: string, ...args: unknown[]) => run(name, args.map(String)) ?? false,
  })

  function find(key: string) {
    const found = keys.get(key)
    if (found && found.expiresAtMs > now() / 1000) return found
    keys.delete(key)
  }

  function evaluate(script: string, [count, ...rest]: string[]): Value {
    lua.global.set('KEYS', rest.slice(0, Number(count)))
    lua.global.set('ARGV', rest.slice(Number(count)))
    return lua.doStringSync(script)
  }

  const commands: Record<string, (...args: string[]) => Value> = {
    time: () => [String(Math.floor(now() / 1e6)), String(Math.floor(now() % 1e6))],
    get: (key) => find(key!)?.value ?? null,
    set(key, value, _px, ms) {
      if (!/^[1-9][0-9]*$/.test(ms ?? '')) throw new Error('ERR value is not an integer or out of range')
      keys.set(key!, { value: value!, expiresAtMs: now() / 1000 + Number(ms) })
      return 'OK'
    },
    del: (key) => Number(keys.delete(key!)),
    pttl(key) {
      const found = find(key!)
      return found ? Math.ceil(found.expiresAtMs - now() / 1000) : -2
    },
    keys: () => [...keys.keys()].filter(find),
    flushall() {
      keys.clear()
      return 'OK'
    },
    script() {
      scripts.clear()
      return 'OK'
    },
    eval(script, ...rest) {
      scripts.set(createHash('sha1').update(script!).digest('hex'), script!)
      return evaluate(script!, rest)
    },
    evalsha(sha, ...rest) {
      const script = scripts.get(sha!)
      if (script === undefined) throw new Error('NOSCRIPT No matching script. Please use EVAL.')
      return evaluate(script, rest)
    },
  }
  const run: Run = (name, args) => commands[name.toLowerCase()]?.(...args)
  return { run }
}
