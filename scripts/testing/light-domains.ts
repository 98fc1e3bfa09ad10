import { AsyncResource, executionAsyncResource } from 'node:async_hooks'
import { registerHooks } from 'node:module'

/*
 * Takes the place of the package by which tap finds the test of an error that nobody catches. The
 * package follows every promise, which takes a twelfth of the processor time of our tests. They run
 * one after the other, so an error belongs to the innermost test that runs. Load this before tap.
 */
type Ends = (error: unknown, event: 'uncaughtException' | 'unhandledRejection') => unknown

/** The tests that run now, the outer ones first. */
const running: Domain[] = []

/** What tap makes for each test: the test's own handler of errors. */
export class Domain {
  readonly onerror: Ends

  constructor(onerror: Ends) {
    this.onerror = onerror
    // Not before: processes that a test starts load this too, and end by their errors as usual.
    if (!process.listeners('uncaughtException').includes(tell))
      process.on('uncaughtException', tell)
    const begin = () => {
      if (!running.includes(this)) running.push(this)
    }
    // tap makes a domain inside the resource by which it later runs the test.
    const test: unknown = executionAsyncResource()
    if (test instanceof AsyncResource)
      Object.assign(test, {
        runInAsyncScope: (...call: unknown[]): unknown => {
          begin()
          return Reflect.apply(AsyncResource.prototype.runInAsyncScope, test, call)
        },
      })
    else begin()
  }

  destroy(): void {
    const at = running.indexOf(this)
    if (at >= 0) running.splice(at, 1)
  }
}

function tell(error: unknown, event: 'uncaughtException' | 'unhandledRejection'): void {
  // A test that listens itself expects the error.
  if (process.listeners('uncaughtException').some(listener => listener !== tell)) return
  const test = running.at(-1)
  if (!test) throw error
  test.onerror(error, event)
}

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'async-hook-domain'
      ? { url: import.meta.url, shortCircuit: true }
      : next(specifier, context),
})
