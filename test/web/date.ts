/** When the tests in the browser begin, whatever day it is: a Monday morning. */
const begin = Date.UTC(2026, 10, 23, 10)

/** What is added to the clocks of the process and of its pages, in ms. PostgreSQL has its own. */
export let shiftMs = 0

/** Has the process begin on that morning, once. */
export function beginOnMonday(): void {
  if (shiftMs !== 0) return
  shiftMs = begin - Date.now()
  shiftDate(shiftMs)
}

/** Shifts the clock of where it runs. Whole in itself, as it is sent to pages. */
export function shiftDate(ms: number): void {
  const { now } = Date
  globalThis.Date = class extends Date {
    constructor(...given: []) {
      super(...((given.length === 0 ? [now() + ms] : given) as []))
    }

    static override now(): number {
      return now() + ms
    }
  } as DateConstructor
}
