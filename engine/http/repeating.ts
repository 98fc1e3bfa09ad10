/** Work that a timer repeats in the background. */
export type Repeating = {
  /**
   * Runs it now. Runs never overlap. A caller during a run waits for the next run, since the
   * present one may have read its data too early.
   */
  runNow: () => Promise<void>
  /** Aborted by `stop`, so that a long run ends early. */
  signal: AbortSignal
  /** Waits for the present run; no other run follows. */
  stop: () => Promise<void>
}
export type RepeatingOptions = {
  run: (signal: AbortSignal) => Promise<void>
  /** Milliseconds to wait after a run that took `took` milliseconds, and before the first run. */
  restAfter: (took: number) => number
  firstAfter: number
  /** False: no timer; it only runs when `runNow` is called. */
  byItself?: boolean | undefined
  /** Called with the error of a failed run. Later runs still happen. */
  onError: (error: unknown) => void
}

export function repeating({
  run,
  restAfter,
  firstAfter,
  byItself = true,
  onError,
}: RepeatingOptions): Repeating {
  const stopping = new AbortController(),
    { signal } = stopping
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const runNow = async (): Promise<void> => {
    if (running) await running.catch(() => {})
    await (running ??= run(signal).finally(() => {
      running = null
    }))
  }
  const tick = async (): Promise<void> => {
    const began = performance.now()
    await runNow().catch(onError)
    sleep(restAfter(performance.now() - began))
  }
  const sleep = (milliseconds: number): void => {
    if (!signal.aborted) timer = setTimeout(() => void tick(), milliseconds).unref()
  }
  if (byItself) sleep(firstAfter)

  return {
    runNow,
    signal,
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running?.catch(() => {})
    },
  }
}
