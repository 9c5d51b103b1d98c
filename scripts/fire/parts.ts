import type { Part } from './part.ts'

/** Every part, in the order in which they run; one line each. */
export const parts: Part[] = []
