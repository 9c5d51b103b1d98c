import { spawn } from 'node:child_process'
import { once } from 'node:events'

// The checks and the tests in process, side by side: `npm test`, or `npm test -- houses`. Failed checks end the tests.
const checks = spawn('npm', ['run', 'check', '--silent'], { stdio: ['ignore', 'pipe', 'pipe'] })
let output = ''
for (const stream of [checks.stdout, checks.stderr]) stream.on('data', (text) => (output += text))
const tests = spawn('vitest', ['run', '--project', 'api', ...process.argv.slice(2)], { stdio: 'inherit' })
const ended = [checks, tests].map((child) => once(child, 'close'))

const [checkCode] = await ended[0]!
if (checkCode !== 0) tests.kill('SIGINT')
const [testCode] = await ended[1]!
process.stdout.write(`${output}\n`)
process.exitCode = checkCode || (testCode ?? 1)
