import { vi } from 'vitest'

// Test files share processes, as loading the libraries anew for each file takes as long as a third of the tests. The
// modules of the project start anew in each of them, and what the last one has replaced is put back.
vi.useRealTimers()
vi.restoreAllMocks()
vi.unstubAllEnvs()
vi.resetModules()
