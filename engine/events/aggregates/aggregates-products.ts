import { rows as query, run } from '../../db/raw.ts'
import type { EventRow, EventStore } from '../ingest-rows.ts'
import { isCounting } from '../../tests/stand-still.ts'
import type { Trx } from '../../db/types.ts'
import type { Touched } from './aggregates-states.ts'
import { isCounted, isSteady, later, type VisitorState } from './visitor-state.ts'

/** When a visitor last saw a product and last put it in the cart, in a test's time (milliseconds). Max of single events: any order gives the same. */
type Acts = { view: number | null; add: number | null }
/** What a visitor did in one test, by product. */
type Products = Map<string, Acts>
type Of = { storeId: string; testId: string; visitor: string }
/** By visitor and test. */
export type FoldedProducts = Map<string, Of & { products: Products }>

/** Most products kept of a visitor in a test: more than a shopper looks at, so that made-up ids cannot fill the report. */
const productLimit = 200

const keyOf = (testId: string, visitor: string): string => `${testId} ${visitor}`
const merged = (a: Acts | undefined, b: Acts): Acts =>
  a ? { view: later(a.view, b.view), add: later(a.add, b.add) } : b

/** Notes a product that was seen or put in the cart, for each test that its visitor is in at that moment. */
export function foldProduct(
  into: FoldedProducts,
  { visit, kind, at, product, tests }: EventRow,
  store: EventStore,
): void {
  if (product === null || visit.isBot) return
  // A view names no tests in its row, as a cart does.
  for (const testId of tests ?? Object.keys(visit.claims)) {
    const test = store.tests.get(testId)
    if (!test || !isCounting(test, at)) continue
    const key = keyOf(testId, visit.visitor)
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

type Delta = {
  storeId: string
  testId: string
  product: string
  arm: number
  viewers: number
  adders: number
}

/**
 * Keeps what visitors did with products, and how many counted ones of each arm saw and added each since they met the
 * test. `touched` holds every visitor and test of `folded`. Answers the tests whose counts moved, with their stores.
 */
export async function aggregateProducts(
  trx: Trx,
  folded: FoldedProducts,
  touched: Touched[],
): Promise<[testId: string, storeId: string][]> {
  const old = await writeProducts(trx, folded),
    dropped = await dropBeyondLimit(trx, folded, old)
  // Who enters or leaves the figures brings all their products along. Of who was in no batch before, nothing was kept.
  const moved = touched.filter(
    ({ before, after }) =>
      before && !isSteady(before, after) && (isCounted(after) || isCounted(before)),
  )
  const all = await readProducts(
    trx,
    moved.map(({ store, after }) => ({
      storeId: store.id,
      testId: after.testId,
      visitor: after.visitor,
    })),
  )
  const deltas = new Map<string, Delta>()
  for (const { store, before, after } of touched) {
    // All of the visitor's products where they moved, else those that this batch tells of.
    const key = keyOf(after.testId, after.visitor)
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
  const changes = [...deltas.values()].filter(
    ({ viewers, adders }) => viewers !== 0 || adders !== 0,
  )
  await writeDeltas(trx, changes)
  return changes.map(({ testId, storeId }) => [testId, storeId])
}

const none: Products = new Map()

function count(
  deltas: Map<string, Delta>,
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

type Row = {
  test_id: string
  visitor_id: string
  product_id: string
  view: number | null
  add: number | null
}
const columns = `p.test_id, p.visitor_id, p.product_id, round(extract(epoch from p.last_view_at) * 1000)::float8 as view, round(extract(epoch from p.last_add_at) * 1000)::float8 as add`

function byVisitor(rows: Row[], into = new Map<string, Products>()): Map<string, Products> {
  for (const { test_id, visitor_id, product_id, view, add } of rows) {
    const key = keyOf(test_id, visitor_id)
    let own = into.get(key)
    if (!own) into.set(key, (own = new Map()))
    own.set(product_id, { view, add })
  }
  return into
}

/** Adds what is new; answers what stood there of the same products. */
async function writeProducts(trx: Trx, folded: FoldedProducts): Promise<Map<string, Products>> {
  if (folded.size === 0) return new Map()
  const added = [...folded.values()].flatMap(({ products, ...of }) =>
    [...products].map(([product, acts]) => ({ ...of, product, ...acts })),
  )
  // Both parts see the table as it was before the statement: what is read is what stood there.
  return byVisitor(
    await query<Row>(
      trx,
      `
    with added as (select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::float8[], $6::float8[]) a(store_id, test_id, visitor_id, product_id, view, add)),
    written as (
      insert into test_visitor_products as p (store_id, test_id, visitor_id, product_id, last_view_at, last_add_at)
      select store_id, test_id, visitor_id, product_id, to_timestamp(view / 1000), to_timestamp(add / 1000) from added
      on conflict (store_id, test_id, visitor_id, product_id) do update
        set last_view_at = greatest(p.last_view_at, excluded.last_view_at), last_add_at = greatest(p.last_add_at, excluded.last_add_at))
    select ${columns} from added a, lateral (
      select * from test_visitor_products p where p.store_id = a.store_id and p.test_id = a.test_id and p.visitor_id = a.visitor_id and p.product_id = a.product_id offset 0) p`,
      [
        added.map(a => a.storeId),
        added.map(a => a.testId),
        added.map(a => a.visitor),
        added.map(a => a.product),
        added.map(a => a.view),
        added.map(a => a.add),
      ],
    ),
  )
}

/**
 * Leaves the first `productLimit` of a visitor's products in an order that chance makes for each visitor; answers the
 * others. Who is beyond the limit once stays so and no later product comes before those that are left, so any order of
 * arrival leaves the same, with all that the visitor did with them.
 */
async function dropBeyondLimit(
  trx: Trx,
  folded: FoldedProducts,
  old: Map<string, Products>,
): Promise<Map<string, Products>> {
  const grown = [...folded.values()].filter(
    ({ testId, visitor, products }) => products.size > (old.get(keyOf(testId, visitor))?.size ?? 0),
  )
  if (grown.length === 0) return new Map()
  const own = 'p.store_id = k.store_id and p.test_id = k.test_id and p.visitor_id = k.visitor_id'
  return byVisitor(
    await query<Row>(
      trx,
      `
    with crowded as materialized (
      select k.* from unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, visitor_id), lateral (select from test_visitor_products p where ${own} offset ${productLimit} limit 1) p),
    beyond as materialized (
      select p.* from crowded k, lateral (select * from test_visitor_products p where ${own} order by md5(p.visitor_id || ' ' || p.product_id), p.product_id collate "C" offset ${productLimit}) p)
    delete from test_visitor_products p using beyond k where ${own} and p.product_id = k.product_id returning ${columns}`,
      [grown.map(v => v.storeId), grown.map(v => v.testId), grown.map(v => v.visitor)],
    ),
  )
}

/** Every product of these visitors in these tests as it stands now; an empty map for who has none. */
async function readProducts(trx: Trx, visitors: Of[]): Promise<Map<string, Products>> {
  const found = new Map<string, Products>(
    visitors.map(v => [keyOf(v.testId, v.visitor), new Map()]),
  )
  if (found.size === 0) return found
  return byVisitor(
    await query<Row>(
      trx,
      `
    select ${columns} from unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, visitor_id),
      lateral (select * from test_visitor_products p where p.store_id = k.store_id and p.test_id = k.test_id and p.visitor_id = k.visitor_id offset 0) p`,
      [visitors.map(v => v.storeId), visitors.map(v => v.testId), visitors.map(v => v.visitor)],
    ),
    found,
  )
}

async function writeDeltas(trx: Trx, deltas: Delta[]): Promise<void> {
  if (deltas.length === 0) return
  await run(
    trx,
    `
    insert into test_product_visitors as p (store_id, test_id, product_id, arm, viewers, adders)
    select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::int[], $6::int[])
    on conflict (store_id, test_id, product_id, arm) do update set viewers = p.viewers + excluded.viewers, adders = p.adders + excluded.adders`,
    [
      deltas.map(d => d.storeId),
      deltas.map(d => d.testId),
      deltas.map(d => d.product),
      deltas.map(d => d.arm),
      deltas.map(d => d.viewers),
      deltas.map(d => d.adders),
    ],
  )
}
