import type { FastifyBaseLogger } from 'fastify'
import type { EngineConfig } from '../config.ts'
import type { Db } from '../db/connection.ts'
import { keyRing, keysFor } from '../session/key-ring.ts'
import { type EventBudget, eventBudget } from './event-budget.ts'
import { type LimitStore, postgresLimits, redisLimits } from './limit-stores.ts'

/** The limits of this deployment, which all its processes count together. */
export type Limits = {
  /** A budget per key. Every process that names it alike shares it. */
  budget: (name: string, every?: number) => EventBudget
  /** False while each process counts by itself, because the store does not answer. */
  isShared: () => boolean
  close: () => Promise<void>
}

/** Limits that this process counts alone. */
export const ownLimits: Limits = {
  budget: (_name, every) => eventBudget(null, every),
  isShared: () => true,
  close: async () => {},
}

/** Limits that are counted in a store. */
export const limitsIn = (store: LimitStore): Limits => ({
  budget: (name, every) =>
    eventBudget({ ...store, add: (key, ...rest) => store.add(`${name} ${key}`, ...rest) }, every),
  isShared: store.isShared,
  close: store.close,
})

/**
 * Opens the limits of a deployment: in Redis if it is configured, else in the Postgres that the
 * engines share. On PGlite there is only one process. Throws when Redis does not answer.
 */
export async function openLimits(
  db: Pick<Db, 'pool'>,
  config: Pick<EngineConfig, 'REDIS_URL' | 'SECRETS' | 'SESSION_SECRET'>,
  log: FastifyBaseLogger,
): Promise<Limits> {
  const secret = keysFor(keyRing(config), 'limits')[0]
  if (config.REDIS_URL) return limitsIn(await redisLimits(config.REDIS_URL, { secret, log }))
  return db.pool ? limitsIn(postgresLimits(db.pool, { secret, log })) : ownLimits
}
