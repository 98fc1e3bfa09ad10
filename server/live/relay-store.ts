import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as wait } from 'node:timers/promises'
import { waitAfter } from '../../domain/backoff.ts'
import { isFinished, type Job, type LiveMessage } from '../../domain/jobs/job.ts'
import { type HubLink, type HubTiming, linkHub } from './relay-hub.ts'

/** One open page of the store. */
export type Listener = {
  tell: (text: string) => void
  token: string
  /** When that ends, in milliseconds since 1970. */
  until: number
  /** The job it shows, if any. */
  watches: string | null
}

export type StoreRelayOptions = {
  hubUrl: string
  timing: HubTiming & { linger: number }
  log: FastifyBaseLogger
  /** A job as it stands; null when there is none. */
  readJob: (id: string, token: string) => Promise<Job | null>
  /** What the app keeps of the store is out of date. */
  onChange: () => void
  /** Nobody has listened for a while. */
  onIdle: () => void
}

export type StoreRelay = {
  join: (listener: Listener) => void
  leave: (listener: Listener) => void
  /** A job that has just been asked for. */
  track: (job: Job) => void
  size: () => number
  close: () => void
}

/** What happens in one store, told to its open pages: heard from the hub, and while that is down asked for. */
export function storeRelay({
  hubUrl,
  timing,
  log,
  readJob,
  onChange,
  onIdle,
}: StoreRelayOptions): StoreRelay {
  const listeners = new Set<Listener>()
  /** Those that are not finished, as last heard of; null for one that is still to be read. */
  const jobs = new Map<string, Job | null>()
  const closing = new AbortController()
  let link: HubLink | null = null
  /** Of the last page that left. */
  let last: Pick<Listener, 'token' | 'until'> | null = null
  let isUp = false,
    wasUp = false,
    isPolling = false
  let idle = setTimeout(onIdle, timing.linger).unref()

  /** Of the pages that are open the one that is good for longest: a page that joined later may end sooner, and is no reason to ask in vain. */
  const token = (): string | null =>
    [...listeners].reduce(
      (best, each) => (best && best.until >= each.until ? best : each),
      listeners.size > 0 ? null : last,
    )?.token ?? null

  const tell = (message: LiveMessage): void => {
    const text = JSON.stringify(message)
    for (const listener of listeners) listener.tell(text)
  }

  function learn(job: Job): void {
    const isNews = JSON.stringify(jobs.get(job.id)) !== JSON.stringify(job)
    if (isFinished(job.status)) {
      jobs.delete(job.id)
      onChange()
    } else jobs.set(job.id, job)
    if (isNews) tell({ type: 'job', job })
  }

  async function read(id: string): Promise<void> {
    const before = jobs.get(id)
    try {
      const job = await readJob(id, token()!)
      // An event that came meanwhile tells about a later moment.
      if (closing.signal.aborted || jobs.get(id) !== before) return
      if (job) learn(job)
      else jobs.delete(id)
    } catch (error) {
      log.debug({ err: error }, 'job not read')
    }
  }
  const readAll = (): Promise<unknown> => Promise.all([...jobs.keys()].map(read))

  /** Events are not replayed, so jobs are asked for as long as none are heard, and until each was read once. */
  async function poll(): Promise<void> {
    const isNeeded = () =>
      token() !== null &&
      (isUp ? [...jobs.values()].includes(null) : jobs.size > 0) &&
      !closing.signal.aborted
    if (isPolling) return
    isPolling = true
    for (let tries = 1; isNeeded(); tries++) {
      await readAll()
      if (isNeeded())
        await wait(waitAfter(tries, Math.random(), timing), undefined, {
          signal: closing.signal,
          ref: false,
        }).catch(() => {})
    }
    isPolling = false
  }

  const connect = (): HubLink =>
    linkHub({
      url: hubUrl,
      token: () => token()!,
      timing,
      log,
      onUp: () => {
        isUp = true
        if (wasUp) themesUpdated()
        wasUp = true
        void readAll().then(poll)
      },
      onDown: () => {
        isUp = false
        void poll()
      },
      onEvent: (event, job) => {
        if (job) learn(job)
        else if (event === 'ThemesUpdated') themesUpdated()
      },
    })

  function themesUpdated(): void {
    onChange()
    tell({ type: 'themes' })
  }

  return {
    join: listener => {
      clearTimeout(idle)
      listeners.add(listener)
      for (const job of jobs.values())
        if (job) listener.tell(JSON.stringify({ type: 'job', job } satisfies LiveMessage))
      if (listener.watches !== null) {
        if (!jobs.has(listener.watches)) jobs.set(listener.watches, null)
        void read(listener.watches)
      }
      link ??= connect()
      void poll()
    },
    leave: listener => {
      if (!listeners.delete(listener) || listeners.size > 0) return
      last = listener
      clearTimeout(idle)
      idle = setTimeout(onIdle, timing.linger).unref()
    },
    track: job => {
      if (!jobs.has(job.id)) learn(job)
      void poll()
    },
    size: () => listeners.size,
    close: () => {
      clearTimeout(idle)
      closing.abort()
      link?.stop()
    },
  }
}
