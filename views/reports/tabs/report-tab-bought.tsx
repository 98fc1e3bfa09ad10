import type { ComponentChildren } from 'preact'
import type { PerArm } from '../../../domain/arm.ts'
import type { ProductSort } from '../../../domain/reports/breakdown.ts'
import type { Output } from '../../../domain/api/contract.ts'
import { formatCount, formatRate } from '../../../domain/figures.ts'
import { formatMoney } from '../../../domain/money.ts'
import { partsAreHints } from '../../../domain/reports/part-words.ts'
import {
  plainDifference,
  plainMissing,
  type PlainCounts,
} from '../../../domain/drafts/pictures/plain-difference.ts'
import { notCompared } from '../../../domain/reports/uncompared.ts'
import { swaps } from '../../list-links.tsx'
import { EmptyShelves, gateNote } from './report-breakdown-empty.tsx'
import { Lack } from './report-breakdown-table.tsx'
import { fromTheStart, TabPager, TabSortHead, tabPath, type TabState } from './report-tab-links.tsx'
import { Lift } from '../../result.tsx'

export type BoughtList = Output<'byProduct'>
type Row = BoughtList['rows'][number]
type Figures = Row['arms'][number]

const columns: { sort: Exclude<ProductSort, 'title'>; label: string; about?: string }[] = [
  {
    sort: 'viewers',
    label: 'Viewed',
    about:
      'Visitors who saw the product’s page after they saw the test, and their share of all visitors of the arm',
  },
  {
    sort: 'adders',
    label: 'Added',
    about:
      'Visitors who added it to the cart after they saw the test, and their share of all visitors of the arm',
  },
  {
    sort: 'buyers',
    label: 'Bought',
    about:
      'Visitors who bought it after they saw the test, and their share of all visitors of the arm',
  },
  { sort: 'units', label: 'Units', about: 'Items in the orders that count' },
  { sort: 'revenue', label: 'Revenue' },
]

type BoughtProps = {
  state: TabState
  isImported: boolean
  list: BoughtList
  currency: string
  /** The arms are not comparable groups, so nothing is compared. */ isSplitBroken: boolean
  search: ComponentChildren
}

/** What the visitors of each arm did with each product. */
export function BoughtCard({
  state,
  isImported,
  list,
  currency,
  isSplitBroken,
  search,
}: BoughtProps) {
  const { rows, count } = list
  return (
    <section class="card" aria-labelledby="by-product">
      <div class="card-head">
        <h2 id="by-product">By product</h2>
        <span class="note">Whole test, without filters</span>
      </div>
      {(count > 0 || state.search !== '') && search}
      <div id="by-product-rows">
        {rows.length === 0 ? (
          <NoneYet state={state} />
        ) : (
          <>
            <div class="table-scroll" {...swaps('#panel')}>
              <Table
                state={state}
                isImported={isImported}
                list={list}
                currency={currency}
                isSplitBroken={isSplitBroken}
              />
            </div>
            <footer class="card-foot" {...swaps('#panel')}>
              <span class="breakdown-note">
                {ofMoney} {isSplitBroken ? `${notCompared}.` : ofDifferences}
              </span>
              <TabPager
                state={state}
                name="list"
                count={count}
                shown={rows.length}
                noun={['product', 'products']}
              />
            </footer>
          </>
        )}
      </div>
    </section>
  )
}

const ofMoney = 'Revenue is after discounts, before tax and shipping.'
const ofDifferences = `${partsAreHints} ${gateNote('A product', 'buyers')}`

function Table({
  state,
  isImported,
  list: { rows, visitors },
  currency,
  isSplitBroken,
}: Omit<BoughtProps, 'search'>) {
  // An imported file without product views does not say who saw a product.
  const hasViews = !isImported || rows.some(({ arms }) => arms.some(({ viewers }) => viewers > 0))
  return (
    <table class="table breakdown-table bought-table">
      <caption class="visually-hidden">Products, control and variant</caption>
      <thead>
        <tr>
          <TabSortHead state={state} name="list" sort="title" label="Product" class="col-product" />
          <th scope="col" class="col-arm">
            Arm
          </th>
          {columns.map(({ sort, label, about }) => (
            <TabSortHead
              key={sort}
              state={state}
              name="list"
              sort={sort}
              label={about ? <abbr title={about}>{label}</abbr> : label}
              class="num"
            />
          ))}
          <th scope="col" class="num">
            <abbr title="Its revenue divided by all visitors of the arm">Per visitor</abbr>
          </th>
          <th scope="col" class="num">
            <abbr title="How its revenue per visitor in the variant differs from that in control">
              Difference
            </abbr>
          </th>
        </tr>
      </thead>
      {rows.map(({ productId, title, image, arms: [control, variant] }) => (
        <tbody key={productId}>
          <tr class="breakdown-first">
            <th scope="rowgroup" rowSpan={2} class="col-product breakdown-both">
              <span class="pictured">
                {image ? (
                  <img src={image} alt="" width={36} height={36} loading="lazy" />
                ) : (
                  <span class="no-picture" />
                )}
                <span>{title}</span>
              </span>
            </th>
            <ArmCells
              name="Control"
              mark="arm-mark arm-mark-control"
              figures={control}
              visitors={visitors[0]}
              hasViews={hasViews}
              currency={currency}
            />
            <td rowSpan={2} class="num breakdown-both">
              <Difference
                arms={[control, variant]}
                visitors={visitors}
                isSplitBroken={isSplitBroken}
              />
            </td>
          </tr>
          <tr class="breakdown-second">
            <ArmCells
              name="Variant"
              mark="arm-mark"
              figures={variant}
              visitors={visitors[1]}
              hasViews={hasViews}
              currency={currency}
            />
          </tr>
        </tbody>
      ))}
    </table>
  )
}

const perVisitor = ({ revenue }: Figures, visitors: number): number | null =>
  visitors > 0 ? revenue / visitors : null

function Difference({
  arms: [control, variant],
  visitors,
  isSplitBroken,
}: {
  arms: PerArm<Figures>
  visitors: PerArm<number>
  isSplitBroken: boolean
}) {
  const counts: PlainCounts = [
    { visitors: visitors[0], conversions: control.buyers },
    { visitors: visitors[1], conversions: variant.buyers },
  ]
  const missing = isSplitBroken ? null : plainMissing(counts)
  if (missing) return <Lack missing={missing} thing="buyer" />
  return (
    <Lift
      value={
        isSplitBroken
          ? null
          : plainDifference(
              [perVisitor(control, visitors[0]), perVisitor(variant, visitors[1])],
              counts,
            )
      }
      tone="neutral"
    />
  )
}

function ArmCells({
  name,
  mark,
  figures,
  visitors,
  hasViews,
  currency,
}: {
  name: string
  mark: string
  figures: Figures
  visitors: number
  hasViews: boolean
  currency: string
}) {
  const each = perVisitor(figures, visitors)
  const people = (count: number) => (
    <td class="num">
      {formatCount(count)}
      {visitors > 0 && <span class="share">{formatRate(count / visitors, 1)}</span>}
    </td>
  )
  return (
    <>
      <th scope="row" class="col-arm">
        <span class="arm">
          <span class={mark} />
          {name}
        </span>
      </th>
      {hasViews ? people(figures.viewers) : <td class="num">–</td>}
      {people(figures.adders)}
      {people(figures.buyers)}
      <td class="num">{formatCount(figures.units)}</td>
      <td class="num">{formatMoney(figures.revenue, currency)}</td>
      <td class="num">{each === null ? '–' : formatMoney(each, currency)}</td>
    </>
  )
}

const NoneYet = ({ state }: { state: TabState }) => (
  <div class="empty" {...swaps('#panel')}>
    <EmptyShelves />
    {state.search ? (
      <>
        <h3>No product matches</h3>
        <p>Nothing was found for “{state.search}”.</p>
        <div class="row">
          <a class="button secondary" href={tabPath({ ...fromTheStart(state), search: '' })}>
            Show all
          </a>
        </div>
      </>
    ) : (
      <>
        <h3>No products yet</h3>
        <p>Products appear here once visitors of this test view, add or buy them.</p>
      </>
    )}
  </div>
)
