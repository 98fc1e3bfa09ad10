import type { Output } from '../../../domain/api/contract.ts'
import { formatLift } from '../../../domain/figures.ts'
import { formatMoney } from '../../../domain/money.ts'
import { paths } from '../../../domain/paths.ts'
import type { TestProduct, TestProductVariant } from '../../../domain/products/product.ts'
import { Icon } from '../../icons.tsx'
import { swaps } from '../../list-links.tsx'
import { Notice } from '../../notice.tsx'
import { TabPager, type TabState } from './report-tab-links.tsx'

/** The products of a price test, with their prices in both arms. */
export function ProductsCard({ state, list }: { state: TabState; list: Output<'testProducts'> }) {
  if (list.totalCount === 0)
    return (
      <Notice level={2} title="No products left in this test">
        Every product was removed from it, so all shoppers pay the shop’s own prices.
      </Notice>
    )
  return (
    <section class="card" aria-labelledby="prices">
      <div class="card-head">
        <h2 id="prices">Prices</h2>
        <span class="note">What each arm’s shoppers pay</span>
      </div>
      <div class="table-scroll">
        <table class="table breakdown-table">
          <caption class="visually-hidden">Prices of each product, control and variant</caption>
          <thead>
            <tr>
              <th scope="col" class="col-product">
                Product
              </th>
              <th scope="col">Product variants</th>
              <th scope="col" class="num">
                Control
              </th>
              <th scope="col" class="num">
                Variant
              </th>
              <th scope="col" class="num">
                Change
              </th>
            </tr>
          </thead>
          {list.products.map(product => (
            <ProductRows key={product.id} product={product} />
          ))}
        </table>
      </div>
      <footer class="card-foot" id="price-foot" {...swaps('#panel')}>
        <TabPager
          state={state}
          name="second"
          count={list.totalCount}
          shown={list.products.length}
          noun={['product in this test', 'products in this test']}
        />
      </footer>
    </section>
  )
}

function ProductRows({ product }: { product: TestProduct }) {
  const { title, image, currency, variants, errors, conflicts } = product
  const priced = samePrices(variants)
  const name = (
    <th scope="rowgroup" rowSpan={priced.length} class="col-product breakdown-both">
      <span class="pictured">
        {image ? (
          <img src={image} alt="" width={36} height={36} loading="lazy" />
        ) : (
          <span class="no-picture" />
        )}
        <span>{title}</span>
      </span>
      {errors.map(({ cause, variantId, message }) => (
        <span key={`${cause} ${variantId}`} class="cell-sub product-problem tone" data-tone="warn">
          <Icon name="warning" />
          {message}
        </span>
      ))}
      {conflicts.map(({ testId, title: other }) => (
        <span key={testId} class="cell-sub product-problem tone" data-tone="warn">
          <Icon name="warning" />
          <span>
            Also in <a href={paths.report(testId)}>{other}</a>
          </span>
        </span>
      ))}
    </th>
  )
  return (
    <tbody>
      {priced.map((some, i) => {
        const { id, controlPrice, variantPrice } = some[0]!
        return (
          <tr key={id}>
            {i === 0 && name}
            <td>{named(some, variants.length)}</td>
            <td class="num">{formatMoney(controlPrice, currency)}</td>
            <td class="num">{formatMoney(variantPrice, currency)}</td>
            <td class="num">
              {controlPrice > 0 ? formatLift(variantPrice / controlPrice - 1) : '–'}
            </td>
          </tr>
        )
      })}
    </tbody>
  )
}

/**
 * Product variants with the same two prices are in one row: most products have a few prices for
 * many sizes.
 */
function samePrices(variants: readonly TestProductVariant[]): TestProductVariant[][] {
  const found = new Map<string, TestProductVariant[]>()
  for (const variant of variants) {
    const key = `${variant.controlPrice} ${variant.variantPrice}`
    const some = found.get(key)
    if (some) some.push(variant)
    else found.set(key, [variant])
  }
  return [...found.values()]
}

const maxNamed = 4
function named(some: readonly TestProductVariant[], all: number): string {
  if (some.length === all && all > 1) return `All ${all}`
  const titles = some
    .slice(0, maxNamed)
    .map(({ title }) => title)
    .join(', ')
  return some.length > maxNamed ? `${titles} and ${some.length - maxNamed} more` : titles
}
