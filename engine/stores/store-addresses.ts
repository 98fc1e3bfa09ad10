import { policyOrigin, type ShopAddresses } from '../../domain/platform/shop-addresses.ts'
import type { EngineContext } from '../context.ts'
import { notFound, type Serve } from '../http/routes.ts'
import type { PlatformAddresses } from '../platform/addresses.ts'

/** Serves where the platform of a store, or of a shop that has not signed in, has its pages. */
export function storeAddresses(
  serve: Serve,
  { db, platforms }: Pick<EngineContext, 'db' | 'platforms'>,
): void {
  serve(
    'storeAddresses',
    async (_, { storeId }) => {
      const store = await db.kysely
        .selectFrom('stores')
        .select(['shop', 'origin', 'platform'])
        .where('store_id', '=', storeId)
        .executeTakeFirst()
      if (!store) throw notFound('store')
      return addressesOf(platforms.platformOf(store), store.shop, store.origin)
    },
    { keep: true },
  )

  serve('addresses', async ({ query: { shop } }) => {
    // Only a name that one of our platforms may have gets an address made from it.
    const platform = shop === undefined ? null : platforms.nameFor(shop)
    return {
      shop:
        shop !== undefined && platform !== null
          ? addressesOf(platforms.platformOf({ platform }), shop, null)
          : null,
      entrances: platforms.all.map(({ entrance }) => entrance),
    }
  })
}

/** `origin`: the shop's own, where its pages and pictures are; null when it is not known. */
function addressesOf(
  platform: PlatformAddresses,
  shop: string,
  origin: string | null,
): ShopAddresses {
  const { scripts, images, frames } = platform.sources(shop),
    own = origin === null ? null : policyOrigin(origin)
  const withOwn = (origins: string[]) => [...new Set([...(own === null ? [] : [own]), ...origins])]
  return {
    admin: platform.adminUrl(shop, 'home'),
    app: platform.appUrl(shop),
    session: platform.signInUrl(shop),
    settings: platform.adminUrl(shop, 'settings'),
    themes: platform.adminUrl(shop, 'themes'),
    addressMessage: platform.addressMessage(shop),
    tokenMessage: platform.tokenMessage(shop),
    adminScript: platform.adminScript(shop),
    frameAncestors: platform.frameAncestors(shop),
    adminOrigins: platform.adminOrigins(shop),
    scripts,
    images: withOwn(images),
    frames: withOwn(frames),
  }
}
