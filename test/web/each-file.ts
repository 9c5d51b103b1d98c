import { beginOnMonday } from './date.ts'
import { watchPages } from './support.ts'

beginOnMonday()
watchPages()
