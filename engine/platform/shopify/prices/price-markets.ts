import type { MarketRounding } from '../../../../domain/prices/function-rules.ts'
import { wholeList } from '../client/lists.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import { priceMarkets, type PriceMarketsQuery } from '../documents/prices.ts'
import { idOf } from '../client/shopify-ids.ts'

type Market = NonNullable<PriceMarketsQuery['markets']>['nodes'][number]

/**
 * How Shopify rounds converted prices where a market has rounding switched on: it tells only that,
 * not the rule. Currencies that are not here are not charged a tested price, because we could not
 * show the same price. A real store must confirm this list.
 */
const roundings: Readonly<Record<string, MarketRounding>> = {
  CHF: [5, 0],
  EUR: [100, 95],
  JPY: [100, 0],
}

/**
 * Whether a market has prices of its own: fixed ones, or a percentage on top. Every market may have
 * a catalog with a list that changes nothing.
 */
const hasOwnPrices = ({ catalogs }: Market): boolean =>
  catalogs.nodes.some(
    ({ priceList }) =>
      priceList !== null &&
      (priceList.fixedPricesCount > 0 || (priceList.parent?.adjustment.value ?? 0) !== 0),
  )

/** What the functions need to know of the shop's markets. */
export const marketRoundings = (markets: readonly Market[]): Record<string, MarketRounding> =>
  Object.fromEntries(
    markets.flatMap((market): [string, MarketRounding][] => {
      const { currencySettings } = market,
        id = idOf(market.id)
      if (hasOwnPrices(market)) return [[id, 0]]
      return currencySettings?.roundingEnabled
        ? [[id, roundings[currencySettings.baseCurrency.currencyCode] ?? 0]]
        : []
    }),
  )

/** Names of the active markets in which tested prices are not charged. */
export const listedMarkets = (markets: readonly Market[]): string[] =>
  markets
    .filter(
      market => market.status === 'ACTIVE' && marketRoundings([market])[idOf(market.id)] === 0,
    )
    .map(({ name }) => name)

/** All markets of a shop, and the shop itself with its own currency. */
export async function readMarkets(
  { ask }: Pick<ShopifyClient, 'ask'>,
  shop: string,
): Promise<{ own: PriceMarketsQuery['shop']; markets: Market[] }> {
  let own = { id: '', currencyCode: '' } as PriceMarketsQuery['shop']
  const markets = await wholeList(async after => {
    const said = await ask(shop, priceMarkets, { after })
    own = said.shop
    return said.markets
  })
  return { own, markets }
}
