import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as wait } from 'node:timers/promises'
import { waitAfter } from '../../domain/backoff.ts'
import { isFinished, type Job, type LiveMessage } from '../../domain/jobs/job.ts'
import { type HubLink, type HubTiming, linkHub } from './relay-hub.ts'

/** One open page of the store. */
export type Listener = {
  tell: (text: string) => void
  token: string
  /** When the token must be renewed, in milliseconds since 1970. */
  until: number
  /** Id of the job that the page shows, or null. */
  watches: string | null
}

export type StoreRelayOptions = {
  hubUrl: string
  timing: HubTiming & { linger: number }
  log: FastifyBaseLogger
  /** Reads a job from the API; null when there is none. */
  readJob: (id: string, token: string) => Promise<Job | null>
  /** Called when what the app has cached of the store is out of date. */
  onChange: () => void
  /** Called when no page has listened for a while (`linger`). */
  onIdle: () => void
}

export type StoreRelay = {
  join: (listener: Listener) => void
  leave: (listener: Listener) => void
  /** Starts to follow a job that was just requested. */
  track: (job: Job) => void
  size: () => number
  close: () => void
}

/**
 * Sends the news of one store to its open pages. The news come from the engine's hub; while the hub
 * is down, jobs are polled.
 */
export function storeRelay({
  hubUrl,
  timing,
  log,
  readJob,
  onChange,
  onIdle,
}: StoreRelayOptions): StoreRelay {
  const listeners = new Set<Listener>()
  /** Unfinished jobs by id, in their last known state; null for a job that was not read yet. */
  const jobs = new Map<string, Job | null>()
  const closing = new AbortController()
  let link: HubLink | null = null
  /** The token of the last page that left. */
  let last: Pick<Listener, 'token' | 'until'> | null = null
  let isUp = false,
    wasUp = false,
    isPolling = false
  let idle = setTimeout(onIdle, timing.linger).unref()

  /**
   * The token of the open page whose token is valid for longest, which need not be the newest page.
   * Without open pages, the token of the last one that left; null when there was none.
   */
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
      // An event that arrived meanwhile is newer than this answer.
      if (closing.signal.aborted || jobs.get(id) !== before) return
      if (job) learn(job)
      else jobs.delete(id)
    } catch (error) {
      log.debug({ err: error }, 'job not read')
    }
  }
  const readAll = (): Promise<unknown> => Promise.all([...jobs.keys()].map(read))

  /**
   * Polls jobs while the hub is down, because it does not replay events, and until each job was
   * read once.
   */
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
