const levels: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

type Line = { level: number; time: number; msg?: string; err?: { message?: string; stack?: string } }

/** A line of the log for people at a terminal: time, level, message, and what else the line has. */
export function plainLine(line: string): string {
  let parsed: Line
  try {
    parsed = JSON.parse(line)
  } catch {
    return line
  }
  const { level, time, msg = '', err, ...rest } = parsed
  const clock = new Date(time).toTimeString().slice(0, 8)
  const fields = Object.entries(rest)
    .filter(([name]) => name !== 'pid' && name !== 'hostname')
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const reason = err ? `\n  ${err.stack ?? err.message}` : ''
  return `${clock} ${(levels[level] ?? String(level)).padEnd(5)} ${msg}${fields.join('')}${reason}\n`
}
