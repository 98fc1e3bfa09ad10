import type { FastifyBaseLogger } from 'fastify'
import {
  firstDaySent,
  type Impression,
  impression,
  impressionLimits,
} from '../../domain/google/analytics-event.ts'
import type { Beacon } from '../../domain/events/event.ts'
import { importedLike } from '../../domain/imports/imported.ts'
import { hour, minute } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import { rows as query, run } from '../db/raw.ts'
import type { Google } from './google.ts'
import type { Seal } from '../session/seal.ts'
import { repeating, type Repeating } from '../http/repeating.ts'
import { notAside } from '../events/store/visitors-aside.ts'

/** How many exposures we read at a time, and how many requests run at a time. */
const pageSize = 200,
  atOnce = 4
/** Pages that one store sends before the next store's turn. */
const pagesATurn = 5
/**
 * In milliseconds: how long a process leases a store's exposures, the first and the longest wait
 * after a failure, and the wait before we try again to give back access.
 */
const lease = 120_000,
  firstWait = 5_000,
  longestWait = hour,
  partWait = minute

/** `runNow` sends all that is due. */
export type GoogleSender = Repeating
type Options = {
  db: Db
  clock: () => Date
  google: Google
  seal: Seal
  mayUse: (storeId: string) => Promise<boolean>
  forget: (storeId: string) => Promise<void>
  log: FastifyBaseLogger
  every: number
  byItself?: boolean | undefined
}

/**
 * Sends stored exposures to Google Analytics, for the stores that switched it on. It sends them in
 * the order of their commits, apart from the collector. We store our position only after Google has
 * taken the exposures, so a kill sends some twice but loses none.
 */
export function startGoogleSender({
  db,
  clock,
  google,
  seal,
  mayUse,
  forget,
  log,
  every,
  byItself,
}: Options): GoogleSender {
  const sending = repeating({
    run: runOnce,
    byItself,
    firstAfter: every,
    restAfter: () => every,
    onError: error => log.error({ err: error }, 'exposures not sent'),
  })

  async function runOnce(): Promise<void> {
    await partFromUninstalled()
    for (let hasMore = true; hasMore && !sending.signal.aborted;) {
      const due = await query<{ store_id: string }>(
        db.kysely,
        'select store_id from analytics_settings where enabled and next_attempt_at <= $1 order by next_attempt_at',
        [clock()],
      )
      hasMore = false
      for (const { store_id } of due)
        if (!sending.signal.aborted && (await sendStore(store_id))) hasMore = true
    }
  }

  /** After any uninstall we also give back our access to the merchant's Google account. */
  async function partFromUninstalled(): Promise<void> {
    const gone = await query<{ store_id: string }>(
      db.kysely,
      `select store_id from analytics_settings a where next_attempt_at <= $1 and exists (select from stores s where s.store_id = a.store_id and s.status = 'uninstalled')`,
      [clock()],
    )
    for (const { store_id } of gone)
      await forget(store_id).catch((error: unknown) => {
        log.warn({ err: error, store: store_id }, 'access to Google not given back yet')
        return run(
          db.kysely,
          'update analytics_settings set next_attempt_at = $2 where store_id = $1',
          [store_id, new Date(clock().getTime() + partWait)],
        )
      })
  }

  /** One turn of a store. Answers whether it has more to send. */
  async function sendStore(storeId: string): Promise<boolean> {
    const now = clock()
    const [taken] = await query<{
      sent_to: number
      measurement_id: string
      api_secret: Uint8Array
      attempts: number
    }>(
      db.kysely,
      `
      update analytics_settings set leased_until = $2 where store_id = $1 and enabled and next_attempt_at <= $3 and leased_until <= $3 and measurement_id is not null and api_secret is not null
      returning sent_to, measurement_id, api_secret, attempts`,
      [storeId, new Date(now.getTime() + lease), now],
    )
    if (!taken) return false
    const secret = seal.open(storeId, taken.api_secret)
    let problem =
      secret === null
        ? 'The stored secret cannot be read. Switch Google Analytics off and on again.'
        : (await mayUse(storeId))
          ? null
          : 'The plan no longer includes Google Analytics.'
    let from = taken.sent_to,
      isAll = false
    for (let n = 0; n < pagesATurn && problem === null && !sending.signal.aborted; n++) {
      const page = await exposures(storeId, from)
      isAll = page.length < pageSize
      if (page.length === 0) break
      if (!(await sendPage({ measurementId: taken.measurement_id, secret: secret! }, page)))
        problem = 'Google did not take the last exposures. They are sent again later.'
      else {
        from = page.at(-1)!.seq
        // Changes nothing if the merchant has meanwhile chosen another stream, or switched off and
        // on.
        const kept = await run(
          db.kysely,
          'update analytics_settings set sent_to = $3, attempts = 0, leased_until = $4 where store_id = $1 and enabled and measurement_id = $2 and sent_to < $3',
          [storeId, taken.measurement_id, from, new Date(clock().getTime() + lease)],
        )
        if (kept === 0) return false
        if (isAll) break
      }
    }
    if (problem) log.warn({ store: storeId }, `exposures not sent: ${problem}`)
    const wait = Math.min(longestWait, firstWait * 2 ** Math.min(taken.attempts, 20))
    await run(
      db.kysely,
      `update analytics_settings set leased_until = '-infinity', last_error = $2, attempts = case when $2::text is null then 0 else attempts + 1 end, next_attempt_at = $3 where store_id = $1`,
      [storeId, problem, problem ? new Date(clock().getTime() + wait) : '-infinity'],
    )
    return problem === null && !isAll
  }

  type Row = {
    seq: number
    at: number
    visitor_id: string
    is_bot: boolean
    claims: Beacon['tests']
    tests: string[] | null
  }
  const exposures = (storeId: string, from: number): Promise<Row[]> =>
    query<Row>(
      db.kysely,
      `
    select seq, extract(epoch from at)::float8 * 1000 as at, visitor_id, is_bot, claims, tests from events
    where store_id = $1 and kind = 0 and set_aside = 0 and seq > $2 and day >= $3 and visitor_id not like '${importedLike}' and ${notAside()} order by seq limit ${pageSize}`,
      [storeId, from, firstDaySent(clock())],
    )

  /**
   * Sends one page of exposures; each request holds one visitor's events. Returns false when Google
   * did not take all.
   */
  async function sendPage(
    stream: { measurementId: string; secret: string },
    page: Row[],
  ): Promise<boolean> {
    const oldest = clock().getTime() - impressionLimits.behind
    const counted = page.filter(({ is_bot, at }) => !is_bot && at > oldest)
    const requests = [...Map.groupBy(counted, row => row.visitor_id)].flatMap(([visitor, own]) => {
      const events = own.flatMap(({ tests, claims, at }) =>
        (tests ?? []).flatMap((id): Impression[] =>
          claims[id] ? [impression(id, claims[id][0], at)] : [],
        ),
      )
      return Array.from({ length: Math.ceil(events.length / impressionLimits.events) }, (_, i) => ({
        client_id: visitor,
        // The visitor allowed our counting. We know nothing about consent to advertising.
        consent: { ad_user_data: 'DENIED', ad_personalization: 'DENIED' },
        events: events.slice(i * impressionLimits.events, (i + 1) * impressionLimits.events),
      }))
    })
    // The first request that Google does not take ends the page.
    const ended = new AbortController()
    const work = async (): Promise<void> => {
      while (requests.length > 0 && !ended.signal.aborted && !sending.signal.aborted)
        if (!(await google.collect(stream, requests.shift()!).catch(() => false))) ended.abort()
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return requests.length === 0 && !ended.signal.aborted
  }

  return sending
}
