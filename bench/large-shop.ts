import { startWithShop, type WithShop } from '../test/engine/support/with-shop.ts'
import { firstShop } from '../test/engine/support/small-shop.ts'
import type { BenchRow } from './row.ts'

const products = 50_000,
  templates = 200,
  /** Calls a second that the shop lets us make, and how many it keeps for a pause. */
  rate = 40,
  rounds = 5

/**
 * Measures what a merchant waits for in a shop of the largest size, beside a small one: the editor,
 * checks and the price search. Each must answer within a second, within the shop's rate.
 */
export async function largeShopBench(): Promise<BenchRow[]> {
  const env = { DEMO_SHOP_RATE: String(rate) }
  const small = await startWithShop({}, env)
  const large = await startWithShop({}, env, { moreProducts: products })
  try {
    await fillTemplates(large)
    const acts = [await actsIn(small), await actsIn(large)] as const
    const rows: BenchRow[] = []
    for (const name of Object.keys(acts[0]) as (keyof Acts)[]) {
      const [little, much] = [
        await middle(small, acts[0][name]),
        await middle(large, acts[1][name]),
      ]
      const against = `${name}, small shop`
      rows.push(
        { name: against, value: little, unit: 'ms' },
        {
          name: `${name}, ${products.toLocaleString('en')} products, ${templates} templates`,
          value: much,
          unit: 'ms',
          ratio: much / 1_000,
          against: 'a second',
          target: '≤ 1',
        },
      )
    }
    return rows
  } finally {
    await large.close()
    await small.close()
  }
}

type Acts = Awaited<ReturnType<typeof actsIn>>

async function actsIn({ call, engine }: WithShop) {
  const { id: store } = await call('storeInfo', {})
  const template = await call('createDraft', { body: { kind: 'Template' } })
  await call('setControl', { params: { id: template.id }, body: { type: 'product', suffix: '' } })
  await call('setVariant', { params: { id: template.id }, body: {} })
  const priced = await call('createDraft', { body: { kind: 'Price' } })
  const found = await call('searchProducts', {
    params: { id: store },
    query: { query: 'mug', pageSize: 10 },
  })
  for (const { id } of found.items.slice(0, 10))
    await call('createTestProduct', {
      body: { testDraftId: priced.id, productId: id, rule: { kind: 'amount', value: 100 } },
    })
  await engine.runJobs()
  const theme = (await call('themes', {}))[0]!
  const params = { id: store }
  return {
    'Editor: templates of a type': () => call('templates', { query: { type: 'product' } }),
    'Editor: products of a template': () =>
      call('templateResources', { query: { type: 'product', suffix: '', search: '4' } }),
    'Editor: state of a draft’s templates': () =>
      call('draftTemplateStatus', { params: { id: template.id } }),
    'Checks: the list before a launch': () => call('draftChecks', { params: { id: template.id } }),
    'Editor: planned length': () => call('draftPlan', { params: { id: template.id } }),
    'Checks: products of a price test': () =>
      call('validateTestProducts', { params: { id: priced.id } }),
    'Checks: a theme’s templates': () =>
      call('themeIsCompatible', { params: { id: theme.id }, query: { force: true } }),
    'Price search: first page': () =>
      call('searchProducts', { params, query: { query: 'mug', pageSize: 10 } }),
    'Price search: next page': () =>
      call('searchProducts', {
        params,
        query: { query: 'mug', pageSize: 10, ...(found.endCursor && { cursor: found.endCursor }) },
      }),
  }
}

/** The middle of a few rounds, each after a pause in which the shop's rate recovers. */
async function middle({ db }: WithShop, act: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n <= rounds; n++) {
    await db.kysely.deleteFrom('shop_rates').execute()
    const from = performance.now()
    await act()
    // The first round warms up.
    if (n > 0) times.push(performance.now() - from)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!
}

async function fillTemplates({ platform }: WithShop): Promise<void> {
  const theme = (await platform.themes(firstShop)).find(({ role }) => role === 'live')!
  const [file] = await platform.themeFiles(firstShop, theme.id, ['templates/product.story.json'])
  for (let from = 0; from < templates; from += 50)
    await platform.writeThemeFiles(
      firstShop,
      theme.id,
      Array.from({ length: 50 }, (_, n) => ({
        name: `templates/product.many-${from + n}.json`,
        body: file!.body,
      })),
    )
}
