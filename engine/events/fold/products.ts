import { isCounting } from '../../tests/stand-still.ts'
import type { EventRow, EventStore } from './event-rows.ts'
import type { Touched } from './states.ts'
import { isCounted, later, type VisitorState } from './visitor-state.ts'

/**
 * When a visitor last viewed a product and last added it to the cart, while the test counted
 * (milliseconds). Each is the maximum of single events, so their order does not matter.
 */
export type Acts = { view: number | null; add: number | null }
/** What a visitor did in one test, by product. */
export type Products = Map<string, Acts>
export type ProductsOf = { storeId: string; testId: string; visitor: string }
/** By `productsKey`. */
export type FoldedProducts = Map<string, ProductsOf & { products: Products }>

export const productsKey = (testId: string, visitor: string): string => `${testId} ${visitor}`
const merged = (a: Acts | undefined, b: Acts): Acts =>
  a ? { view: later(a.view, b.view), add: later(a.add, b.add) } : b

/**
 * Adds a product that was viewed or put in the cart, for each test that its visitor is in at that
 * moment.
 */
export function foldProduct(
  into: FoldedProducts,
  { visit, kind, at, product, tests }: EventRow,
  store: EventStore,
): void {
  if (product === null || visit.isBot) return
  // The row of a view names no tests (the row of a cart event does), so use the visit's.
  for (const testId of tests ?? Object.keys(visit.claims)) {
    const test = store.tests.get(testId)
    if (!test || !isCounting(test, at)) continue
    const key = productsKey(testId, visit.visitor)
    let own = into.get(key)
    if (!own)
      into.set(
        key,
        (own = { storeId: visit.storeId, testId, visitor: visit.visitor, products: new Map() }),
      )
    own.products.set(
      product,
      merged(
        own.products.get(product),
        kind === 'cart' ? { view: null, add: at } : { view: at, add: null },
      ),
    )
  }
}

/**
 * How many counted visitors an arm gains for a product: those who viewed it, and those who added it
 * to the cart.
 */
export type ProductDelta = {
  storeId: string
  testId: string
  product: string
  arm: number
  viewers: number
  adders: number
}

/**
 * Stored products, by `productsKey`. `old`: the batch's products as stored before it. `dropped`:
 * products beyond the limit that were deleted. `all`: every product of the visitors who enter or
 * leave the figures.
 */
export type StoredProducts = {
  old: Map<string, Products>
  dropped: Map<string, Products>
  all: Map<string, Products>
}

/**
 * Computes how many more counted visitors of each arm viewed and added each product since they met
 * the test. `touched` must hold every visitor and test of `folded`.
 */
export function productDeltas(
  folded: FoldedProducts,
  touched: Touched[],
  { old, dropped, all }: StoredProducts,
): ProductDelta[] {
  const deltas = new Map<string, ProductDelta>()
  for (const { store, before, after } of touched) {
    // Takes all products of a visitor who entered or left the figures, otherwise only those in this
    // batch.
    const key = productsKey(after.testId, after.visitor)
    const fresh = folded.get(key)?.products ?? none,
      stale = old.get(key) ?? none,
      gone = dropped.get(key) ?? none
    const now =
      all.get(key) ??
      new Map(
        [...fresh]
          .filter(([product]) => !gone.has(product))
          .map(([product, acts]) => [product, merged(stale.get(product), acts)]),
      )
    if (before)
      count(
        deltas,
        store.id,
        before,
        new Map([...[...now, ...gone].filter(([product]) => !fresh.has(product)), ...stale]),
        -1,
      )
    count(deltas, store.id, after, now, 1)
  }
  return [...deltas.values()].filter(({ viewers, adders }) => viewers !== 0 || adders !== 0)
}

const none: Products = new Map()

function count(
  deltas: Map<string, ProductDelta>,
  storeId: string,
  state: VisitorState,
  products: Products,
  sign: 1 | -1,
): void {
  if (products.size === 0 || !isCounted(state)) return
  const since = state.first!.at,
    { testId, arm } = state
  const has = (at: number | null): number => (at !== null && at >= since ? sign : 0)
  for (const [product, { view, add }] of products) {
    const key = `${testId} ${arm} ${product}`
    let delta = deltas.get(key)
    if (!delta) deltas.set(key, (delta = { storeId, testId, product, arm, viewers: 0, adders: 0 }))
    delta.viewers += has(view)
    delta.adders += has(add)
  }
}
