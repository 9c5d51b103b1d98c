import { watchPages } from './support.ts'

watchPages()
