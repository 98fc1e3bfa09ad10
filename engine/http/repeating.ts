/** Work that is done again and again in the background. */
export type Repeating = {
  /** Does it now. One run at a time; who asks during a run gets the next one too, since the first may have read before what is asked about. */
  runNow: () => Promise<void>
  /** Aborted by `stop`: a long run ends early. */
  signal: AbortSignal
  /** Lets a run under way end; none follows. */
  stop: () => Promise<void>
}
export type RepeatingOptions = {
  run: (signal: AbortSignal) => Promise<void>
  /** Milliseconds to the next run after one that took so long, and to the first. */
  restAfter: (took: number) => number
  firstAfter: number
  /** False: it is done when asked for alone. */
  byItself?: boolean | undefined
  /** A run that fails is told here and does not end the others. */
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
