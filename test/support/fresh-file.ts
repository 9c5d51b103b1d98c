import { vi } from 'vitest'

// Test files share processes, as loading the libraries for each file would take a third of the time of the tests. Each
// file loads the modules of the project again, and all mocks are restored.
vi.useRealTimers()
vi.restoreAllMocks()
vi.unstubAllEnvs()
vi.resetModules()
