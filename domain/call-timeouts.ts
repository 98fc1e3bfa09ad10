/**
 * Timeouts of calls from one program to another, in milliseconds. A call has a shorter timeout than
 * the call above it, so that the one above learns what happened and can continue without it
 * (decision 054).
 */
export const callTimeouts = {
  /** One call from the app to the engine. */
  engine: 5_000,
  /** How many times as long a `slow` call may take. */
  slowness: 4,
  /** All calls to vendors (the shop, Google) within one call of the engine, together. */
  vendors: 3_500,
  /** One call to a vendor within a call of the engine. */
  vendor: 3_000,
  /**
   * One call to a vendor that has just not answered, and for how long it counts as silent. So a
   * page that needs the vendor many times waits for it once.
   */
  silentVendor: 500,
  silentFor: 30_000,
  /**
   * While a merchant waits for the brand style: for the readings of other shops before it, and for
   * a browser to read all pages of the shop. Both end before the slow call that needs them.
   */
  readingTurn: 2_000,
  reading: 11_000,
}

/** The part of a call (api/call.ts) that its timeouts depend on. */
type Timed = { slow?: true }

/** How long one attempt of a call may take, in the app. */
export const engineTimeout = (call: Timed, usual: number): number =>
  usual * (call.slow ? callTimeouts.slowness : 1)

/**
 * How long vendors may keep a call of the engine waiting: in all, and each time. Both grow with the
 * timeout of the call above.
 */
export const vendorsTimeout = (call: Timed): { all: number; each: number } => ({
  all: engineTimeout(call, callTimeouts.vendors),
  each: engineTimeout(call, callTimeouts.vendor),
})
