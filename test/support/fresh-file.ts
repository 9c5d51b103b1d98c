import { vi } from 'vitest'
import { beginFile } from './current-file.ts'

// Test files share processes, and with them what they import: loading it for each file would take most of the time.
beginFile()
vi.useRealTimers()
vi.restoreAllMocks()
vi.unstubAllEnvs()
