// Loaded into a server before anything else: shifts its clock by the ms that stand in a file, read anew at SIGUSR2.
import { readFileSync } from 'node:fs'

const file = process.env.CHAOS_CLOCK!
const RealDate = Date
const realNow = Date.now
let shiftMs = 0

function readShift(): void {
  shiftMs = Number(readFileSync(file, 'utf8'))
}
readShift()
process.on('SIGUSR2', readShift)

Date.now = () => realNow() + shiftMs
globalThis.Date = new Proxy(RealDate, {
  construct(target, given, newTarget) {
    return Reflect.construct(target, given.length === 0 ? [Date.now()] : given, newTarget)
  },
})
