import { expect, onTestFinished, test, vi } from 'vitest'
import { plainLine } from '../../src/http/server/plain-lines.ts'
import { announcementOf } from '../../src/process/announcement.ts'
import { watchClock } from '../../src/process/clock.ts'
import { sayStep } from '../../src/process/steps.ts'
import { config } from '../support/world.ts'

test('steps of a start are told at a terminal only', () => {
  let written = ''
  const write = (text: string) => {
    written += text
    return true
  }
  sayStep('one', { isTTY: true, write: write as NodeJS.WriteStream['write'] })
  sayStep('two', { isTTY: false, write: write as NodeJS.WriteStream['write'] })
  expect(written).toBe('one\n')
})

test('a start says in lines where it answers at a terminal, and in one line of JSON elsewhere', () => {
  const settings = {
    ...config,
    publicUrl: undefined,
    dataDir: '/data',
    databaseUrl: undefined,
    storageUrl: 'file:///data/files',
  }
  expect(announcementOf('http://127.0.0.1:8080', settings, true)).toBe(
    `Hearth answers at   http://127.0.0.1:8080
Data lies in        /data (database and files)
Docs page           http://127.0.0.1:8080/docs
`,
  )
  const line = announcementOf('http://127.0.0.1:8080', settings, false)
  expect(line.trimEnd()).not.toContain('\n')
  expect(JSON.parse(line)).toMatchObject({ level: 30, msg: 'Hearth answers at http://127.0.0.1:8080' })
})

test('a line of the log is plain at a terminal', () => {
  const line = {
    level: 40,
    time: Date.UTC(2031, 1, 1),
    pid: 1,
    hostname: 'here',
    reason: 'EAUTH',
    msg: 'no mail',
  }
  expect(plainLine(`${JSON.stringify(line)}\n`)).toMatch(/^\d\d:00:00 warn {2}no mail reason=EAUTH\n$/)
  expect(plainLine('no JSON\n')).toBe('no JSON\n')
  const failed = {
    level: 50,
    time: 0,
    msg: 'failed',
    err: { message: 'why', stack: 'Error: why\n  at here' },
  }
  expect(plainLine(JSON.stringify(failed))).toMatch(/ error failed\n {2}Error: why\n {2}at here\n$/)
})

test('a clock that was ahead is reported when that begins, and when it ends', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const reports: string[] = []
  let aheadMs = 4_000
  const stop = watchClock(
    { began: (ms) => reports.push(`ahead by ${ms}`), ended: () => reports.push('ended') },
    () => aheadMs,
  )
  for (const each of [60_000, 50_000, 1_000, 0]) {
    await vi.advanceTimersByTimeAsync(10_000)
    aheadMs = each
  }
  await vi.advanceTimersByTimeAsync(10_000)
  await stop()
  expect(reports).toEqual(['ahead by 60000', 'ended'])
})
