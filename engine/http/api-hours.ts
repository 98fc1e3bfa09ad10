import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Answered } from '../../domain/answered.ts'
import type { ApiHour } from '../../domain/staff/staff-overview.ts'
import type { Db } from '../db/connection.ts'
import { rows, run } from '../db/raw.ts'

/** Upper bounds of the duration buckets, in milliseconds. The last bucket has no upper bound. */
const bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000] as const
const writeEvery = 10_000
/** Days for which the hours are kept. */
const keptDays = 31

/**
 * Counts the API's answers and stores the counts by hour. Uses the real time, not the product's
 * clock: a shifted clock must not change the hour of a request.
 */
export type ApiMeter = {
  answered: (answer: Answered) => void
  write: () => Promise<void>
  stop: () => Promise<void>
}

export function apiMeter({
  db,
  log,
  byItself,
}: {
  db: Db
  log: FastifyBaseLogger
  byItself: boolean
}): ApiMeter {
  let waiting = new Map<number, { requests: number; errors: number }>()
  const timer = byItself ? setInterval(() => void write(), writeEvery) : null
  timer?.unref()

  async function write(): Promise<void> {
    if (waiting.size === 0) return
    const taken = [...waiting]
    waiting = new Map()
    try {
      await run(
        db.kysely,
        `
        insert into api_hours as h (hour, bucket, requests, errors) select date_trunc('hour', now()), * from unnest($1::int[], $2::int[], $3::int[])
        on conflict (hour, bucket) do update set requests = h.requests + excluded.requests, errors = h.errors + excluded.errors`,
        [
          taken.map(([bucket]) => bucket),
          taken.map(([, { requests }]) => requests),
          taken.map(([, { errors }]) => errors),
        ],
      )
      await sql`delete from api_hours where hour < now() - make_interval(days => ${keptDays})`.execute(
        db.kysely,
      )
    } catch (error) {
      log.warn({ err: error }, 'the API’s own figures were not kept')
    }
  }

  return {
    answered: ({ status, seconds, route }) => {
      // A connection to the job hub lasts as long as its page is open, so its duration says
      // nothing.
      if (route === '/storeJobHub') return
      const found = bounds.findIndex(bound => seconds * 1_000 <= bound),
        bucket = found < 0 ? bounds.length : found
      const sum = waiting.get(bucket) ?? { requests: 0, errors: 0 }
      waiting.set(bucket, {
        requests: sum.requests + 1,
        errors: sum.errors + Number(status >= 500),
      })
    },
    write,
    stop: async () => {
      if (timer) clearInterval(timer)
      await write()
    },
  }
}

/** The last `hours` hours, oldest first, including hours without requests. */
export async function apiHours(db: Pick<Db, 'kysely'>, hours: number): Promise<ApiHour[]> {
  const found = await rows<{ at: Date; buckets: number[]; requests: number[]; errors: number }>(
    db.kysely,
    `
    select g.hour as at, coalesce(array_agg(h.bucket::int order by h.bucket) filter (where h.bucket is not null), '{}') as buckets,
      coalesce(array_agg(h.requests::int order by h.bucket) filter (where h.bucket is not null), '{}') as requests, coalesce(sum(h.errors), 0)::int as errors
    from generate_series(date_trunc('hour', now()) - make_interval(hours => $1::int - 1), date_trunc('hour', now()), interval '1 hour') as g (hour)
      left join api_hours h on h.hour = g.hour group by g.hour order by g.hour`,
    [hours],
  )
  return found.map(({ at, buckets, requests, errors }) => ({
    at: at.toISOString(),
    requests: requests.reduce((sum, n) => sum + n, 0),
    errors,
    slowest: slowestOf(buckets, requests),
  }))
}

/**
 * The upper bound of the bucket that contains the 95th percentile. Milliseconds; null without
 * requests.
 */
function slowestOf(buckets: number[], requests: number[]): number | null {
  const all = requests.reduce((sum, n) => sum + n, 0)
  let seen = 0
  for (const [i, bucket] of buckets.entries()) {
    seen += requests[i]!
    if (seen >= all * 0.95) return bounds[bucket] ?? bounds.at(-1)!
  }
  return null
}
