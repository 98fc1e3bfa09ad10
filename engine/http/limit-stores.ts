import { createHmac } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { Redis } from 'ioredis'
import type pg from 'pg'
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible'
import { second } from '../../domain/time-units.ts'

/** Counts what all processes of a deployment have used of a limit. */
export type LimitStore = {
  /**
   * Adds `weight` to what `key` has used in its window of `every` milliseconds. Returns all that it
   * has used, and the milliseconds until the window ends. Null while the store does not answer:
   * then each process counts alone.
   */
  add: (
    key: string,
    weight: number,
    every: number,
  ) => Promise<{ used: number; endsIn: number } | null>
  /** False while the store does not answer. */
  isShared: () => boolean
  close: () => Promise<void>
}

/** The table of 0057-shared-limits. */
const table = 'rate_limits'
/** After a failure the store is left alone for this long, in milliseconds. */
const restAfterFailure = second
/** Longest wait for Redis at the start, and for one of its answers, in milliseconds. */
const redisTimeouts = { start: 5 * second, command: second }

/**
 * Keys contain addresses of people, so only a keyed hash of them leaves the process (docs/privacy).
 */
const hidden = (secret: Uint8Array, key: string): string =>
  createHmac('sha256', secret).update(key).digest('base64url').slice(0, 22)

type Limiter = Pick<RateLimiterPostgres, 'penalty'>

function storeOf(
  limiter: Limiter,
  { name, secret, log, close }: StoreOptions & { name: string; close: () => Promise<void> },
): LimitStore {
  let restUntil = 0,
    isShared = true
  return {
    add: async (key, weight, every) => {
      if (performance.now() < restUntil) return null
      try {
        const { consumedPoints, msBeforeNext } = await limiter.penalty(
          hidden(secret, key),
          weight,
          { customDuration: every / 1000 },
        )
        if (!isShared) log.warn(`${name} answers again: limits are counted together`)
        isShared = true
        return { used: consumedPoints, endsIn: msBeforeNext > 0 ? msBeforeNext : every }
      } catch (error) {
        if (isShared)
          log.warn(
            { err: error },
            `${name} does not answer: each process counts limits by itself until it does`,
          )
        isShared = false
        restUntil = performance.now() + restAfterFailure
        return null
      }
    },
    isShared: () => isShared,
    close,
  }
}

export type StoreOptions = { secret: Uint8Array; log: Pick<FastifyBaseLogger, 'warn'> }

/** Counts in the Postgres that the engines share. */
export function postgresLimits(pool: Pick<pg.Pool, 'query'>, options: StoreOptions): LimitStore {
  const limiter = new RateLimiterPostgres({
    // Without the statement's name: behind a pooler, prepared statements of a connection are not
    // there in the next transaction.
    storeClient: {
      query: ({ text, values }: { text: string; values: unknown[] }) => pool.query(text, values),
    },
    storeType: 'client',
    tableName: table,
    tableCreated: true,
    // The schedule deletes old rows (operators/schedule.ts).
    clearExpiredByTimeout: false,
    keyPrefix: '',
    points: 1,
    duration: 60,
  })
  return storeOf(limiter, { ...options, name: 'Postgres', close: async () => {} })
}

/**
 * Counts in Redis, which more processes can ask more often. Throws when it does not answer at the
 * start: then its address is probably wrong. The message does not contain the address's password.
 */
export async function redisLimits(url: string, options: StoreOptions): Promise<LimitStore> {
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: redisTimeouts.start,
    commandTimeout: redisTimeouts.command,
    retryStrategy: attempt => Math.min(attempt * 100, 2 * second),
  })
  let lastError: Error | undefined
  // Without a listener an error of the connection would end the process; `add` reports failures.
  client.on('error', (error: Error) => {
    lastError = error
  })
  try {
    await client.connect()
    await client.ping()
  } catch (error) {
    client.disconnect()
    const { message = '' } = lastError ?? (error as Error)
    throw new Error(
      `Redis at ${new URL(url).host} (REDIS_URL) does not answer: ${message || 'no connection'}`,
      { cause: error },
    )
  }
  const limiter = new RateLimiterRedis({
    storeClient: client,
    rejectIfRedisNotReady: true,
    keyPrefix: 'twinshelf-limit',
    points: 1,
    duration: 60,
  })
  return storeOf(limiter, {
    ...options,
    name: 'Redis',
    close: async () => client.disconnect(),
  })
}
