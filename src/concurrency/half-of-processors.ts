import { availableParallelism } from 'node:os'

/** How many processors work may take that others do not wait for: half of them, of two or more. */
export const halfOfProcessors = Math.max(1, Math.floor(availableParallelism() / 2))
