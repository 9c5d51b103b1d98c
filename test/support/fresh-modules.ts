import { afterAll, vi } from 'vitest'

// For tests that change what modules remember, as the newest id: imported first, it has the file load them all again, and
// the next file, too.
vi.resetModules()
afterAll(() => {
  vi.resetModules()
})
