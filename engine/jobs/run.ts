import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { JobKind } from '../../domain/jobs/job.ts'
import { isDuty, maxAttempts, type RunningJob } from '../../domain/jobs/job-lane.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import { hour } from '../../domain/time-units.ts'
import { StoreBusy } from '../db/busy.ts'
import { DatabaseLost } from '../db/lost.ts'
import { sayingWaits } from '../platform/saying-waits.ts'
import type { JobRow } from '../hub/job-of.ts'
import { FewAttempts, type JobHandler, type JobOutcome, type JobRun, type Jobs } from './jobs.ts'
import {
  add,
  cancel,
  change,
  claim,
  finish,
  LeaseLost,
  putOff,
  release,
  releaseAll,
  renewLease,
} from './queue.ts'

export type JobsOptions = {
  db: Db
  clock: () => Date
  log: FastifyBaseLogger
  /**
   * No other process can use this database. So leases that exist at the start belong to a dead
   * process.
   */
  isAlone?: boolean
  /**
   * Called after every run that ended, except when another process or the next start continues it.
   */
  onEnd?: (kind: JobKind, outcome: JobOutcome) => void
}

/**
 * Call `start` when every kind has its handler. Kinds without a handler are left to other
 * processes. `wake` makes it look for due jobs soon.
 */
export type RunningJobs = Jobs & { start: () => Promise<void>; wake: () => void }

/**
 * The result of looking for due jobs: how many were started, and how many runs had ended in this
 * process when the look began.
 */
type Look = { taken: number; endingsBefore: number }

/** Maximum number of starts of a job: a job that crashes its process must not do so endlessly. */
const maxStarts = 20
// Milliseconds: between looks without a wake-up, between renewals of a lease, until a job of a
// locked store runs again, before the first retry, and for handlers to end when we stop.
const every = 1_000,
  renewEvery = 5_000,
  busyWait = 5_000,
  firstWait = 2_000,
  stopWithin = 5_000

const inAnHour = (now: Date): Date => new Date(now.getTime() + hour)

/** Runs the jobs of a database, together with all other processes that do so. */
export function startJobs({
  db,
  clock,
  log,
  isAlone = false,
  onEnd = () => {},
}: JobsOptions): RunningJobs {
  const handlers = new Map<JobKind, JobHandler>()
  const running = new Map<string, RunningJob & { ended: Promise<void> }>()
  const stopping = new AbortController()
  let looking: Promise<Look> | null = null
  let endings = 0
  let timer: NodeJS.Timeout | undefined
  let isWoken = false,
    endSleep = (): void => {}
  let lookout: Promise<void> | undefined

  const ends = () => [...running.values()].map(({ ended }) => ended)
  /** Looks never overlap. Never throws. */
  const look = (): Promise<Look> =>
    (looking ??= claimDue().finally(() => {
      looking = null
    }))

  async function claimDue(): Promise<Look> {
    const kinds = [...handlers.keys()],
      endingsBefore = endings
    let taken = 0
    try {
      while (kinds.length > 0 && !stopping.signal.aborted) {
        // Excludes jobs that run here: a long transaction may delay their lease renewals, and then
        // they must not be started again.
        const job = await claim(db, kinds, clock(), running)
        if (!job) break
        taken++
        const ended = runJob(job)
          .catch((error: unknown) =>
            log.error({ err: error, job: job.job_id }, 'the end of a job was not stored'),
          )
          .finally(() => {
            running.delete(job.job_id)
            endings++
            wake()
          })
        running.set(job.job_id, { storeId: job.store_id, kind: job.kind, ended })
      }
    } catch (error) {
      log.error({ err: error }, 'could not look for due jobs')
    }
    return { taken, endingsBefore }
  }

  async function runJob(job: JobRow): Promise<void> {
    // The job crashed the process each time, so do not start it again at once.
    if (job.starts > maxStarts && isDuty(job.kind))
      return putOff(db, job, inAnHour(clock()), clock(), job.attempts, maxStarts - 1)
    if (job.starts > maxStarts)
      return fail(job, 'This job crashed repeatedly and was stopped. Please contact support.')
    const lost = new AbortController()
    // Node may collect the signal of AbortSignal.any, and its listeners then hear of no stop.
    const ending = new AbortController()
    const stop = (): void => ending.abort(stopping.signal.reason)
    stopping.signal.addEventListener('abort', stop, { once: true })
    if (stopping.signal.aborted) stop()
    const lease = setInterval(() => {
      // When the database does not answer, the next renewal tries again. Without a renewal the
      // lease expires.
      renewLease(db, job).then(
        isOurs => {
          if (isOurs) return
          lost.abort(new LeaseLost())
          ending.abort(lost.signal.reason)
        },
        (error: unknown) => log.warn({ err: error, job: job.job_id }, 'lease not renewed'),
      )
    }, renewEvery).unref()
    try {
      const run = () => handlers.get(job.kind)!(runOf(job, ending.signal))
      await sayingWaits(words => sayWait(job, words), run)
      if (stopping.signal.aborted) await release(db, job)
      else if (!lost.signal.aborted)
        await finish(db, job, { status: 'completed' }, clock()).then(() =>
          onEnd(job.kind, 'completed'),
        )
    } catch (error) {
      if (error instanceof LeaseLost || lost.signal.aborted)
        return log.warn({ job: job.job_id, kind: job.kind }, 'job was taken up by another process')
      if (stopping.signal.aborted) return await release(db, job)
      await afterError(job, error)
    } finally {
      stopping.signal.removeEventListener('abort', stop)
      clearInterval(lease)
    }
  }

  async function afterError(job: JobRow, error: unknown): Promise<void> {
    if (error instanceof HttpProblem) return fail(job, error.message)
    if (error instanceof DatabaseLost) {
      log.warn(
        { err: error, job: job.job_id, kind: job.kind },
        'job continues when the database answers',
      )
      return continueLater(job)
    }
    // The job did nothing wrong, so this is no attempt and no start. Other jobs use its place.
    if (error instanceof StoreBusy) {
      const now = clock()
      await putOff(db, job, new Date(now.getTime() + busyWait), now, job.attempts, job.starts - 1)
      return onEnd(job.kind, 'retried')
    }
    const attempts = job.attempts + 1
    log.error({ err: error, job: job.job_id, kind: job.kind, attempts }, 'job failed')
    if (error instanceof FewAttempts && attempts >= error.most) return fail(job, error.message)
    const now = clock()
    if (attempts >= maxAttempts && isDuty(job.kind)) {
      await putOff(db, job, inAnHour(now), now, attempts, 0)
      return onEnd(job.kind, 'retried')
    }
    if (attempts >= maxAttempts)
      return fail(
        job,
        `This did not work after ${attempts} attempts. Please try again later, or contact support.`,
      )
    await putOff(db, job, new Date(now.getTime() + firstWait * 4 ** job.attempts), now, attempts)
    onEnd(job.kind, 'retried')
  }

  /**
   * Queues the job again once the database answers. An outage is not a crash of the job, so it
   * takes the start back.
   */
  async function continueLater(job: JobRow): Promise<void> {
    for (;;)
      try {
        return await putOff(db, job, clock(), clock(), job.attempts, job.starts - 1)
      } catch (error) {
        if (!(error instanceof DatabaseLost)) throw error
        await pause(every, undefined, { signal: stopping.signal })
      }
  }

  const fail = (job: JobRow, message: string): Promise<void> =>
    finish(db, job, { status: 'errored', message }, clock()).then(() => onEnd(job.kind, 'errored'))

  /** Shows that the job waits for its shop's platform. */
  const sayWait = (job: JobRow, message: string): Promise<void> =>
    db.kysely
      .transaction()
      .execute(trx =>
        change(trx, job, { status: 'updated', message, updated_at: clock() }, 'Updated'),
      )
      .then(() => {})

  const runOf = (job: JobRow, signal: AbortSignal): JobRun => ({
    id: job.job_id,
    storeId: job.store_id,
    payload: job.payload,
    state: job.state,
    signal,
    progress: async (done, message) => {
      const progress = Math.min(1, Math.max(0, done))
      await db.kysely
        .transaction()
        .execute(trx =>
          change(
            trx,
            job,
            { status: 'updated', progress, message, updated_at: clock() },
            'Updated',
          ),
        )
    },
    checkpoint: async (state, on) => {
      const write = { state: JSON.stringify(state) }
      if (on) await change(on, job, write)
      else await db.kysely.transaction().execute(trx => change(trx, job, write))
    },
  })

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      isWoken = false
      await looking
      await look()
      if (!isWoken)
        await new Promise<void>(resolve => {
          endSleep = resolve
          timer = setTimeout(resolve, every).unref()
        })
      clearTimeout(timer)
    }
  }
  function wake(): void {
    isWoken = true
    endSleep()
  }

  return {
    add: (on, job) => add(on, job, clock()),
    cancel,
    on: (kind, handler) => {
      if (handlers.has(kind)) throw new Error(`Jobs of kind ${kind} have a handler.`)
      handlers.set(kind, handler)
    },
    start: async () => {
      if (isAlone) await releaseAll(db)
      lookout = keepLooking()
    },
    wake,
    runNow: async () => {
      // A look that began earlier may have missed the jobs that this call is about.
      for (;;) {
        await looking
        const { taken, endingsBefore } = await look()
        if (running.size > 0) await Promise.race(ends())
        // A job that ended during the look may have been what blocked the next one.
        else if (taken === 0 && endings === endingsBefore) return
      }
    },
    stop: async () => {
      stopping.abort(new Error('The process stops.'))
      wake()
      await Promise.all([lookout, looking])
      let limit: NodeJS.Timeout | undefined
      await Promise.race([
        Promise.all(ends()),
        new Promise(resolve => {
          limit = setTimeout(resolve, stopWithin)
        }),
      ])
      clearTimeout(limit)
    },
  }
}
