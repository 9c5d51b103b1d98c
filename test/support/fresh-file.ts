import { vi } from 'vitest'

// Test files share processes, and with them what they import: loading it for each file would take most of the time.
vi.useRealTimers()
vi.restoreAllMocks()
vi.unstubAllEnvs()
