import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { PixelSettings } from '../../domain/orders/pixel.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { partsFor } from '../../domain/script/needed-parts.ts'
import type { PageApis } from '../../domain/script/page-apis.ts'
import type { Db } from '../db/connection.ts'
import type { CollectTokens } from '../events/collect-tokens.ts'
import type { Platform } from '../platform/adapter.ts'
import { isRefusal } from '../prices/price-charging.ts'
import type { ScriptSources } from './compose.ts'

/** Where a shop's checkout pixel sends its messages. */
export const pixelSettings = (
  publicOrigin: string,
  shop: string,
  { ofPixel }: CollectTokens,
): PixelSettings => ({ shop, collect: `${publicOrigin}/collect/order?${ofPixel(shop)}` })

/**
 * Gives the shop's checkout our pixel while the shop's script has tests, and takes it away
 * otherwise. A shop that cannot have one keeps its script: its express orders then have no visitor.
 * Throws other errors, so that the publication is tried again.
 */
export async function publishPixel(
  { publishPixel: publish }: Pick<Platform, 'publishPixel'>,
  { pixel }: Pick<ScriptSources, 'pixel'>,
  settings: PixelSettings,
  { hasTests, log }: { hasTests: boolean; log: FastifyBaseLogger },
): Promise<void> {
  if (pixel === undefined) return
  try {
    await publish(settings.shop, hasTests ? { script: Buffer.from(pixel), settings } : null)
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof HttpProblem && error.status === 404)) throw error
    log.warn({ err: error, shop: settings.shop }, 'the shop takes no checkout pixel')
  }
}

/** The file that shops with APIs of their own load after paint; only where a script needs it. */
export const partOf = (
  { pageApisPart }: Pick<ScriptSources, 'pageApisPart'>,
  config: Parameters<typeof partsFor>[0],
): { part?: Buffer } =>
  pageApisPart !== undefined && partsFor(config).has('pageApis')
    ? { part: Buffer.from(pageApisPart) }
    : {}

/**
 * Publishes the shop's script again, if it has one: its pages may offer other APIs now. One that is
 * being published may have been made from what they offered before.
 */
export async function publishAgain({ kysely }: Pick<Db, 'kysely'>, shop: string): Promise<void> {
  await sql`
    update published_scripts p set wanted = p.wanted + 1, next_attempt_at = now() from stores s
    where s.shop = ${shop} and s.status = 'installed' and p.store_id = s.store_id and (p.wanted = p.published and p.published > 0 or p.leased_until >= now())`.execute(
    kysely,
  )
}

/**
 * Asks what a shop's pages offer. While the shop does not answer, it is what the shop said last,
 * for the script that our own address serves meanwhile; `failure` then says why.
 */
export function pageApisAsker({ pageApis }: Pick<Platform, 'pageApis'>) {
  const said = new Map<string, PageApis | null>()
  return async (shop: string): Promise<{ pageApis: PageApis | null; failure: unknown }> => {
    try {
      const found = await pageApis(shop)
      said.set(shop, found)
      return { pageApis: found, failure: null }
    } catch (failure) {
      return { pageApis: said.get(shop) ?? null, failure }
    }
  }
}
