import type { FastifyBaseLogger } from 'fastify'
import type { EngineOptions } from './app-options.ts'
import type { Db } from './db/connection.ts'
import { keyRing } from './session/key-ring.ts'
import { platformTokens, type PlatformTokens } from './session/platform-tokens.ts'
import { pageReads } from './platform/page-reads.ts'
import { shopRates } from './platform/rates.ts'
import type { Platform } from './platform/adapter.ts'
import { platformsFrom } from './platform/index.ts'
import { keepingCapabilities } from './platform/store-capabilities.ts'
import type { Platforms } from './platform/platforms.ts'

/** The engine's platforms, with adapters that get their tokens from the database. */
export function connectPlatforms({
  config,
  morePlatforms,
  wrapPlatform,
  ...parts
}: Pick<EngineOptions, 'config' | 'morePlatforms' | 'wrapPlatform'> & {
  db: Db
  clock: () => Date
  log: FastifyBaseLogger
}): { platforms: Platforms; platform: Platform; platformTokens: PlatformTokens } {
  const tokens = platformTokens({
    ...parts,
    ring: keyRing(config),
    platformOf: store => platforms.platformOf(store),
  })
  const callsLimited = shopRates(parts.db),
    readsLimited = pageReads()
  const platforms = platformsFrom(config, tokens.source, morePlatforms?.(config, tokens.source), {
    ...parts,
    limit: adapter => readsLimited(callsLimited(adapter)),
  })
  return {
    platforms,
    platform: keepingCapabilities(wrapPlatform?.(platforms.shops) ?? platforms.shops),
    platformTokens: tokens,
  }
}
