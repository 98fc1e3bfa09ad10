import type { Input, JsonCallName, Output } from './contract.ts'

/** The typed client both sides agree on: one method per row of the contract. `server/upstream/upstream.ts` makes it. */
export type Api = { [N in JsonCallName]: (input: Input<N>) => Promise<Output<N>> }
