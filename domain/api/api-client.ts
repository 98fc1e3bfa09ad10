import type { Input, JsonCallName, Output } from './contract.ts'

/**
 * The typed client of the API: one method for each row of the contract.
 * `server/upstream/upstream.ts` makes it.
 */
export type Api = { [N in JsonCallName]: (input: Input<N>) => Promise<Output<N>> }
