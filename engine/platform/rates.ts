import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { callTimeouts } from '../../domain/call-timeouts.ts'
import { busyShop, rateWords } from '../../domain/platform/rate-words.ts'
import { ShopBusy } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import { timeLeft } from '../http/vendor-calls.ts'
import type { Platform, PlatformAdapter } from './adapter.ts'
import { type PlatformRate, Throttled } from './rate.ts'
import { sayWait } from './saying-waits.ts'
import { costlyCalls } from './shop-calls.ts'

/** How long a refusal of the platform slows us down, in seconds, and by how much. */
const slowedFor = 60,
  slowness = 0.5
/** Our limit for a platform without one that refuses us all the same. */
const unknownRate: PlatformRate = { perSecond: 2, burst: 1 }
/**
 * The longest wait that a platform's refusal can ask for, in seconds. All processes keep it, so a
 * longer one, sent by mistake, would stop everything about the shop.
 */
export const longestRefusal = 60
/**
 * How long a call without a person is repeated while the platform refuses it, in milliseconds. Then
 * its job ends or runs again later, because jobs of other stores need its place.
 */
export const refusedFor = 120_000
/** The longest sleep between two looks at the budget, in milliseconds. */
const longestSleep = 60_000
/** The share of the burst that calls without a person leave to those with one. */
const personsShare = 0.5
/**
 * How long they do so, in milliseconds. Then they queue as persons do, each for at most so many
 * seconds: an open page that asks again and again must not hold a job (decision 095).
 */
const jobsYieldFor = 10_000,
  jobQueue = 10

/** Makes the calls of an adapter wait for what the platform lets us ask. */
export type Limit = (adapter: PlatformAdapter) => PlatformAdapter

/**
 * Shares the budget of each shop among all processes, in one row per shop (decision 080). Shops
 * without a limit have no row. Tests pass shorter times.
 */
export function shopRates(
  { kysely }: Pick<Db, 'kysely'>,
  { waitsFor = refusedFor, yieldsFor = jobsYieldFor } = {},
): Limit {
  /** Shops that have refused us here, and until when that counts. By `performance.now()`. */
  const slowed = new Map<string, number>()

  /**
   * Takes the points if they are there within `longest` seconds, and returns how long to wait for
   * them; else takes nothing. One statement, so that no two processes take the same points.
   */
  async function take(
    shop: string,
    { perSecond, burst }: PlatformRate,
    points: number,
    { longest, reserve }: { longest: number; reserve: number },
  ): Promise<{ isTaken: boolean; wait: number; perSecond: number }> {
    // While slowed, the row's own rate counts.
    const rate = sql<number>`(case when slowed_until > clock_timestamp() then least(per_second, ${perSecond}::float8) else ${perSecond}::float8 end)`
    const owed = sql<number>`(greatest(0, extract(epoch from next_at - clock_timestamp())::float8) - greatest(0, ${burst}::float8 - ${points}::float8 - ${reserve}::float8) / ${rate})`
    const { rows } = await sql<{ wait: number; per: number }>`
      update shop_rates set next_at = greatest(next_at, clock_timestamp()) + make_interval(secs => ${points}::float8 / ${rate})
      where shop = ${shop} and ${owed} <= ${longest}::float8
      returning extract(epoch from next_at - clock_timestamp())::float8 - greatest(${points}::float8, ${burst}::float8 - ${reserve}::float8) / ${rate} as wait, ${rate} as per`.execute(
      kysely,
    )
    if (rows[0]) return { isTaken: true, wait: Math.max(0, rows[0].wait), perSecond: rows[0].per }
    const made = await sql`
      insert into shop_rates (shop, per_second, next_at)
      values (${shop}, ${perSecond}, clock_timestamp() + make_interval(secs => ${points}::float8 / ${perSecond}::float8))
      on conflict do nothing returning 1`.execute(kysely)
    if (made.rows.length > 0) return { isTaken: true, wait: 0, perSecond }
    const {
      rows: [row],
    } = await sql<{ wait: number; per: number }>`
      select ${owed} as wait, ${rate} as per from shop_rates where shop = ${shop}`.execute(kysely)
    // Another call has just made the row, or its points came back meanwhile.
    if (!row || row.wait <= longest)
      return take(shop, { perSecond, burst }, points, { longest, reserve })
    return { isTaken: false, wait: row.wait, perSecond: row.per }
  }

  /** Waits until the shop may be asked. Throws ShopBusy when a person would wait too long. */
  async function wait(shop: string, rate: PlatformRate, points: number): Promise<void> {
    let isSaid = false
    const begun = performance.now()
    for (;;) {
      const left = timeLeft()
      const isPerson = left < Infinity,
        yieldsStill = isPerson ? 0 : yieldsFor - (performance.now() - begun)
      const longest = isPerson
        ? Math.max(0, left - callTimeouts.silentVendor) / 1000
        : yieldsStill > 0
          ? 0
          : jobQueue
      const reserve = yieldsStill > 0 ? Math.floor(rate.burst * personsShare) : 0
      const answer = await take(shop, rate, points, { longest, reserve })
      if (!answer.isTaken && isPerson) throw busy(answer.wait, answer.perSecond)
      if (answer.wait > 0 && !isSaid) {
        isSaid = true
        await sayWait(rateWords(answer.perSecond))
      }
      if (answer.wait > 0 || !answer.isTaken)
        await pause(
          answer.isTaken
            ? answer.wait * 1000
            : Math.max(
                10,
                Math.min(answer.wait * 1000, yieldsStill > 0 ? yieldsStill : longestSleep),
              ),
        )
      if (answer.isTaken) return
    }
  }

  /**
   * Notes a refusal of the platform, for all processes. Several refusals within a second are one:
   * they were on their way together.
   */
  async function slowDown(shop: string, { perSecond, burst }: PlatformRate, seconds: number) {
    slowed.set(shop, performance.now() + slowedFor * 1000)
    const until = sql`clock_timestamp() + make_interval(secs => ${seconds}::float8 + ${burst}::float8 / ${perSecond * slowness}::float8)`
    const slowedUntil = sql<Date>`clock_timestamp() + make_interval(secs => ${slowedFor})`
    await sql`
      insert into shop_rates as r (shop, per_second, next_at, slowed_until)
      values (${shop}, ${perSecond * slowness}, ${until}, ${slowedUntil})
      on conflict (shop) do update set next_at = greatest(r.next_at, excluded.next_at),
        per_second = case
          when r.slowed_until > clock_timestamp() + make_interval(secs => ${slowedFor - 1}) then r.per_second
          when r.slowed_until > clock_timestamp() then greatest(r.per_second * ${slowness}::float8, ${perSecond / 16}::float8)
          else excluded.per_second end,
        slowed_until = excluded.slowed_until`.execute(kysely)
  }

  async function limited<T>(
    adapter: PlatformAdapter,
    name: keyof Platform,
    args: readonly [string, ...unknown[]],
    call: () => Promise<T>,
  ): Promise<T> {
    const [shop] = args
    let refusedAt: number | null = null
    for (;;) {
      const own = adapter.rate(shop)
      const rate = own ?? ((slowed.get(shop) ?? 0) > performance.now() ? unknownRate : null)
      if (rate) await wait(shop, rate, own?.cost?.(name, args) ?? 1)
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof Throttled)) throw error
        await slowDown(shop, rate ?? unknownRate, Math.min(error.retryAfter, longestRefusal))
        refusedAt ??= performance.now()
        if (performance.now() - refusedAt >= waitsFor) throw error
      }
    }
  }

  return adapter => {
    type AnyCall = (shop: string, ...rest: unknown[]) => Promise<unknown>
    const waiting = (name: keyof Platform) => {
      const call = adapter[name] as AnyCall
      return (...args: [string, ...unknown[]]) =>
        limited(adapter, name, args, async () => call(...args))
    }
    return {
      ...adapter,
      ...Object.fromEntries(costlyCalls.map(name => [name, waiting(name)])),
    }
  }
}

const busy = (seconds: number, perSecond: number) => {
  const wait = Math.max(1, Math.ceil(seconds))
  return new ShopBusy(busyShop(perSecond, wait), wait)
}
