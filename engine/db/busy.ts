/**
 * Other work holds what this work needs: a store's lock, or the store's share of the connections.
 * Nothing was changed, and the work may be tried again.
 */
export class StoreBusy extends Error {
  constructor(options?: { cause: unknown }) {
    super('Other work on this store is not finished.', options)
  }
}

/** Whether the error is a `StoreBusy`, or Postgres's own: a lock was not free in time (55P03). */
export const isBusy = (error: unknown): boolean =>
  error instanceof StoreBusy || (error as { code?: unknown }).code === '55P03'
