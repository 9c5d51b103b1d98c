// The process that `npm start` runs. Plain JavaScript, because it sets what must hold before the first TypeScript is read.
// No named imports: what an older Node does not export would be a SyntaxError before the first line.
import module from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

const neededNode = 24
if (Number.parseInt(process.versions.node, 10) < neededNode) {
  process.stderr.write(
    `Hearth needs Node ${neededNode} or newer, and this is ${process.versions.node}: npm ci without --omit=dev installs it for npm start, or get it from https://nodejs.org/en/download.\n`,
  )
  process.exit(1)
}

// While it starts, what is young in the heap stays at its first 1 MB: nearly all of it is there to stay, and room for
// garbage that was grown for it (up to 48 MB) would never be given back by an idle process.
setFlagsFromString('--semi-space-growth-factor=1')
// For src/process/memory.ts, which returns unused memory.
setFlagsFromString('--expose-gc')

// Compiled modules are kept between starts, without their types: a process that has to strip types itself is 20 MB larger
// and slower to start. Where the folder cannot be written it is only that.
module.enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/compiled'))

await import('./src/process/main.ts')
setFlagsFromString('--semi-space-growth-factor=2')
