import { availableParallelism } from 'node:os'

/**
 * How many test files run at the same time: one more than there are processors, because a test
 * often waits: for a page, for a shop that does not answer, for a server that starts again. Two for
 * each processor were not clearly faster (decision 040). At most eight, because each takes up to a
 * gigabyte of memory.
 */
export const lanes = Math.min(8, availableParallelism() + 1)
