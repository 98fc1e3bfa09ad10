import { AsyncLocalStorage } from 'node:async_hooks'
import { callTimeouts } from '../../domain/call-timeouts.ts'
import { HttpProblem, VendorProblem, type Vendor } from '../../domain/problem.ts'

/** `until`: by `performance.now()`. `isOver`: what continues after the answer has time again. */
type Budget = { until: number; each: number; isOver: boolean }
const budget = new AsyncLocalStorage<Budget>()

/** Runs a call of the API: its calls to vendors take at most `all` milliseconds together. */
export async function withVendorsWithin<T>(
  { all, each }: { all: number; each: number },
  work: () => Promise<T>,
): Promise<T> {
  const own: Budget = { until: performance.now() + all, each, isOver: false }
  try {
    return await budget.run(own, work)
  } finally {
    own.isOver = true
  }
}

/** What the call of the API that is being served leaves for the next call; Infinity in jobs. */
export function timeLeft(): number {
  const own = budget.getStore()
  if (!own || own.isOver) return Infinity
  return Math.min(own.each, Math.max(0, own.until - performance.now()))
}

/**
 * Calls one vendor. `longest` is the timeout in a job; within a call of the API it is shorter
 * (domain/call-timeouts.ts). Throws VendorProblem: 504 when the vendor does not answer in time, 502
 * when it cannot be reached. HttpProblems of `call` pass.
 * A vendor that was silent gets less time for a while, so make one of these for each shop, and one
 * for pages that its merchant writes.
 */
export type VendorCalls = <T>(
  longest: number,
  call: (signal: AbortSignal) => Promise<T>,
) => Promise<T>

export function vendorCalls(vendor: Vendor): VendorCalls {
  let silentUntil = 0
  return async (longest, call) => {
    const left = timeLeft(),
      isAsked = left < Infinity
    const isShort = isAsked && performance.now() < silentUntil
    const timeout = Math.min(longest, left, isShort ? callTimeouts.silentVendor : Infinity)
    const signal = AbortSignal.timeout(Math.ceil(timeout))
    try {
      const said = await call(signal)
      silentUntil = 0
      return said
    } catch (error) {
      if (error instanceof HttpProblem) throw error
      if (!signal.aborted && !isTimeout(error)) throw unreachable(vendor, error)
      // A call that had little time says nothing about the vendor.
      if (!isShort && timeout >= callTimeouts.silentVendor)
        silentUntil = performance.now() + callTimeouts.silentFor
      throw silent(vendor, error)
    }
  }
}

const names: Record<Vendor, string> = { shop: 'The shop', google: 'Google' }
const silent = (vendor: Vendor, cause: unknown) =>
  new VendorProblem(vendor, 504, `${names[vendor]} did not answer.`, { cause })
const unreachable = (vendor: Vendor, cause: unknown) =>
  new VendorProblem(vendor, 502, `${names[vendor]} could not be reached.`, {
    // Without the address, because the address of Google's Measurement Protocol holds a secret.
    cause: vendor === 'google' ? { message: (cause as Error).message } : cause,
  })

const isTimeout = (error: unknown): boolean =>
  /^UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT$/.test(String((error as { code?: unknown }).code))
