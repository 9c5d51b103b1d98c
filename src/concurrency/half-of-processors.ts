import { availableParallelism } from 'node:os'

/** Half of the processors, at least one: for work that would keep all requests waiting if it took every processor. */
export const halfOfProcessors = Math.max(1, Math.floor(availableParallelism() / 2))
