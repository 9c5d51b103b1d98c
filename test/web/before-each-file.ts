import { beginOnMonday } from './date.ts'

// Before anything makes an id: those that follow would have its time.
beginOnMonday()
