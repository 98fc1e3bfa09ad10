import { minorRate } from '../../domain/prices/price-test.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import type { TagFacts } from '../../storefront/core.ts'
import { showPrices } from '../../storefront/prices.ts'
import { decimalPlaces } from '../decimal-places.ts'

declare global {
  interface Window {
    /** What the platform's own scripts say in the head of each page. */
    Shopify?: {
      /** `rate`: units of the active currency for one unit of the shop's own. */
      currency?: { active: string; rate: string }
      loadFeatures?: (
        features: { name: string; version: string }[],
        done: (error?: unknown) => void,
      ) => void
    }
  }
}
/** `own`: the shop's currency, `currency`: the one that the page shows. */
type MarketTag = TagFacts & { readonly own?: string; readonly currency?: string }

/**
 * Shows tested prices in the buyer's market. Liquid knows how the market rounds, but not the rate
 * of its currency, which the platform's own script has, nor how many decimal places a currency has.
 * A rate of 0 in the tag, of a market with a price list of its own, stays.
 */
export const showMarketPrices = (
  tests: Pick<ScriptTest, 'id' | 'prices'>[],
  facts: TagFacts,
  visitor: string,
): (() => void) | undefined => {
  const { own, currency } = facts as MarketTag
  const said = window.Shopify?.currency
  const digits = decimalPlaces(currency!)
  const rate = said && said.active === currency ? +said.rate : currency === own ? 1 : 0
  return showPrices(
    tests,
    {
      ...facts,
      digits: `${digits}`,
      rate: facts.rate ?? `${minorRate(rate, digits, decimalPlaces(own!))}`,
    },
    visitor,
  )
}
