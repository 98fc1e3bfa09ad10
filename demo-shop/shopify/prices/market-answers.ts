import { minorDigits } from '../../../domain/money.ts'
import { hasPriceList, type Currency } from '../../pages/currencies.ts'
import { countries } from '../../pages/localization.ts'
import { marketHandle, marketId } from '../../shopify-web/embed/embed-page.ts'
import { shop } from '../../shop.ts'
import { connection, type PageArgs } from '../api/connection.ts'
import { gid, idIn } from '../api/gid.ts'
import { sorted } from '../api/lists.ts'
import { moneyIn } from '../api/money.ts'
import { searchFor } from '../api/search-query.ts'
import { metafieldAnswers } from '../app/metafield-answers.ts'
import type { ListArgs } from '../catalogue/product-answers.ts'
import type { Answers, FaceParts } from '../face-parts.ts'

/** Where a currency is the one of the country. */
const currencyOf: Record<(typeof countries)[number]['code'], string> = {
  US: 'USD',
  CA: 'CAD',
  CH: 'CHF',
  DE: 'EUR',
  FR: 'EUR',
  GB: 'GBP',
  JP: 'JPY',
}
const currencyNames = new Intl.DisplayNames(['en'], { type: 'currency' })

/**
 * Each currency of the shop is a market. The platform says that a market rounds its prices, but not
 * how; its price list is in a catalog, and a market without one has a catalog that changes nothing.
 */
export function marketAnswers(parts: FaceParts, variantById: (id: string) => object | null) {
  const { currencies, catalogue } = parts.state
  const idOf = ({ code }: Currency): string => gid('Market', marketId(code))
  const nameOf = ({ code }: Currency): string => (code === shop.currency ? 'Primary' : code)
  const currencyAnswer = ({ code, rate }: Currency) => ({
    currencyCode: code,
    currencyName: currencyNames.of(code),
    enabled: true,
    manualRate:
      code === shop.currency
        ? null
        : String(rate * 10 ** (minorDigits(shop.currency) - minorDigits(code))),
    rateUpdatedAt: null,
  })
  /** The list's prices: of every product variant of a product in it. */
  const fixed = ({ prices }: Currency) =>
    Object.entries(prices).flatMap(([handle, price]) =>
      (catalogue.findProduct(handle)?.variants ?? []).map(({ id }) => ({ id, price })),
    )
  const priceList = (market: Currency): object => ({
    __typename: 'PriceList',
    id: gid('PriceList', marketId(market.code)),
    name: `${nameOf(market)} prices`,
    currency: market.code,
    fixedPricesCount: fixed(market).length,
    parent: {
      adjustment: { type: 'PERCENTAGE_INCREASE', value: 0 },
      settings: { compareAtMode: 'ADJUSTED' },
    },
    catalog: () => catalog(market),
    prices: (page: PageArgs) =>
      connection(
        fixed(market),
        page,
        ({ id }) => String(id),
        ({ id, price }) => ({
          originType: 'FIXED',
          price: moneyIn(price, market.code),
          compareAtPrice: null,
          variant: () => variantById(gid('ProductVariant', id)),
        }),
      ),
  })
  const catalog = (market: Currency): object => ({
    __typename: 'MarketCatalog',
    id: gid('MarketCatalog', marketId(market.code)),
    title: `${nameOf(market)} catalog`,
    status: 'ACTIVE',
    publication: null,
    operations: [],
    priceList: () => priceList(market),
    markets: (page: PageArgs) => connection([market], page, idOf, answerOf),
  })
  const regions = ({ code }: Currency) =>
    countries
      .filter(country => currencyOf[country.code] === code)
      .map(country => ({ __typename: 'MarketRegionCountry', ...country }))
  const answerOf = (market: Currency): object => ({
    __typename: 'Market',
    ...metafieldAnswers(parts, idOf(market)),
    id: idOf(market),
    name: nameOf(market),
    handle: marketHandle(market.code),
    status: 'ACTIVE',
    enabled: true,
    primary: market.code === shop.currency,
    type: 'REGION',
    currencySettings: {
      baseCurrency: currencyAnswer(market),
      localCurrencies: false,
      roundingEnabled: market.step > 1,
    },
    catalogs: (page: PageArgs) =>
      connection(
        market.code === shop.currency && !hasPriceList(market) ? [] : [market],
        page,
        idOf,
        catalog,
      ),
    conditions: {
      conditionTypes: ['REGION'],
      regionsCondition: {
        applicationLevel: 'SPECIFIED',
        regions: (page: PageArgs) =>
          connection(
            regions(market),
            page,
            ({ code }) => code,
            region => ({
              ...region,
              id: gid('MarketRegionCountry', region.code),
              currency: currencyAnswer(market),
            }),
          ),
      },
    },
  })
  const one = (id: string): object | null => {
    const found = currencies.list().find(market => idOf(market) === id)
    return found ? answerOf(found) : null
  }
  const answers: Answers = {
    query: {
      market: ({ id }: { id: string }) => one(id),
      markets: ({ query, sortKey = 'NAME', ...page }: ListArgs) =>
        connection(
          sorted(
            currencies
              .list()
              .filter(
                searchFor<Currency>(
                  query,
                  { id: ({ code }) => marketId(code), name: nameOf, status: () => 'active' },
                  nameOf,
                ),
              ),
            { NAME: nameOf, ID: ({ code }) => marketId(code) },
            sortKey,
            ({ code }) => code,
          ),
          page,
          ({ code }) => code,
          answerOf,
        ),
      priceList: ({ id }: { id: string }) => {
        const found = currencies
          .list()
          .find(({ code }) => String(marketId(code)) === idIn('PriceList', id))
        return found ? priceList(found) : null
      },
      priceLists: (page: PageArgs) =>
        connection(currencies.list().filter(hasPriceList), page, ({ code }) => code, priceList),
    },
  }
  return { answers, nodes: { Market: one } }
}
