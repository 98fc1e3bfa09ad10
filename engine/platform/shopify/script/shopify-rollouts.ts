import type { Platform } from '../../adapter.ts'
import type { PlatformAddresses } from '../../addresses.ts'
import { wholeList } from '../client/lists.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import { rollouts } from '../documents/rollouts.ts'
import { idOf } from '../client/shopify-ids.ts'

/**
 * Rollouts that a Shopify shop runs by itself. Their API is in no published schema, so the query is
 * made only where `isOn` (SHOPIFY_ROLLOUTS).
 */
export const shopifyRollouts = (
  { ask }: ShopifyClient,
  { adminUrl }: PlatformAddresses,
  isOn: boolean,
): Pick<Platform, 'nativeExperiments'> => ({
  nativeExperiments: async shop => {
    if (!isOn) return []
    const all = await wholeList(async after => (await ask(shop, rollouts, { after })).rollouts)
    return all
      .filter(({ status }) => status === 'ACTIVE')
      .map(({ id, name, startedAt, themes }) => ({
        id: idOf(id),
        name,
        since: startedAt ?? new Date(0).toISOString(),
        themeIds: themes.map(theme => idOf(theme.id)),
        address: `${adminUrl(shop, 'home')}/rollouts`,
      }))
  },
})
