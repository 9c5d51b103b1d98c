// Loaded into servers whose sockets are weighed: on SIGUSR2 everything that nobody uses is given back, in Hearth and in the
// yardstick alike. Plain JavaScript, as stripping types would take memory of its own.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('globalThis.gc')

process.on('SIGUSR2', () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }))
