import { AsyncLocalStorage } from 'node:async_hooks'

/** Where a job says that it waits. */
const listener = new AsyncLocalStorage<(words: string) => Promise<void>>()

/**
 * Runs a job. When its calls to a shop must wait, `say` gets the words for the merchant. Calls of
 * jobs let those pass that a person waits for (calls of the API, see `timeLeft`).
 */
export const sayingWaits = <T>(say: (words: string) => Promise<void>, work: () => Promise<T>) =>
  listener.run(say, work)

/** Says in the job of this call that it waits; outside of jobs nothing. */
export const sayWait = async (words: string): Promise<void> => {
  await listener.getStore()?.(words)
}
