import { sql } from 'kysely'
import t from 'tap'
import type { PlatformAdapter, PlatformOrder } from '../../../../engine/platform/adapter.ts'
import { add } from '../../../../engine/jobs/queue.ts'
import { firstShop } from '../../support/small-shop.ts'
import { setTax, tradeOrders, tradeRenewals } from '../../support/shops/shopify-trade.ts'
import { shopifyShop as shop } from '../../support/shops/shopify-stage.ts'
import { startOnBoth } from '../../support/shops/both-platforms.ts'

t.setTimeout(3_600_000)
const count = Number(process.env['ORDERS_IN_BOOKS'] ?? 500)
const day = 86_400_000

/** All orders of the shop, as its own app reads them. */
async function ownBooks(
  platform: Pick<PlatformAdapter, 'changedOrders'>,
): Promise<PlatformOrder[]> {
  const all: PlatformOrder[] = []
  const span = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' }
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await platform.changedOrders(firstShop, { ...span, ...(cursor && { cursor }) })
    all.push(...page.orders)
    cursor = page.next
  }
  return all
}

t.test('our books and a Shopify shop’s own add up to the cent', async t => {
  // Nobody listens there: all deliveries are lost, and the nightly comparison finds every order.
  const nowhere = { engineOrigin: 'http://localhost:1', webhookWait: day }
  const stage = await startOnBoth({ CHROMIUM_PATH: 'off' }, nowhere)
  t.teardown(stage.close)
  const { call, db, now, engine } = stage
  await call('auth', { body: { idToken: await stage.shop.shopify!.idToken() } })
  const switched = await stage.shop.app.inject({
    method: 'PUT',
    url: '/admin/shopify/switches.json',
    payload: { restoreRate: 100_000 },
  })
  t.equal(switched.statusCode, 200)
  now.at = new Date(now.at.getTime() + 60_000)

  await setTax(stage.shop, '0')
  const untaxed = await tradeOrders(stage.shop, Math.floor(count / 2), 101, { hasExpress: true })
  await setTax(stage.shop, '19')
  const taxed = await tradeOrders(stage.shop, Math.ceil(count / 2), 102, { hasExpress: true })
  for (const kind of ['refunds', 'express', 'subscriptions'] as const)
    t.ok(untaxed[kind] > count / 20 && taxed[kind] > count / 20, `${kind}: ${untaxed[kind]} and ${taxed[kind]}`) // prettier-ignore

  now.at = new Date(now.at.getTime() + day / 2)
  const { storeId } = await db.kysely
    .selectFrom('stores')
    .select('store_id as storeId')
    .where('shop', '=', shop)
    .executeTakeFirstOrThrow()
  const compare = async () => {
    await add(db.kysely, { storeId, kind: 'reconciliation' }, now.at)
    await engine.runJobs()
  }
  await compare()
  // Each subscription makes an order by itself a month later.
  const first = (await ownBooks(stage.platform)).map(({ name }) => Number(name.slice(1)))
  now.at = new Date(now.at.getTime() + 30 * day)
  const renewals = await tradeRenewals(stage.shop, Math.max(...first))
  t.equal(renewals, untaxed.subscriptions + taxed.subscriptions)
  now.at = new Date(now.at.getTime() + day / 2)
  await compare()

  const own = await ownBooks(stage.platform)
  t.equal(own.length, count + renewals)
  t.same(
    new Set(own.map(({ market }) => market?.currency ?? 'USD')),
    new Set(['USD', 'EUR', 'JPY']),
  )
  const { rows } = await sql<{ name: string; type: string; visitor: string | null; amount: number; refunded: number; tax: number; refunded_tax: number }>`
    select name, type, visitor_id as visitor, amount::int as amount, refunded::int as refunded, tax::int as tax, refunded_tax::int as refunded_tax
    from orders where store_id = ${storeId}`.execute(db.kysely) // prettier-ignore
  const ours = new Map(rows.map(({ name, ...row }) => [name, row]))
  t.equal(ours.size, count + renewals, 'each order once')
  const renewed = rows.filter(({ type }) => type === 'renewal')
  t.equal(renewed.length, renewals)
  // No visit led to them, and Shopify does not say with which order their subscription began.
  t.same(new Set(renewed.map(({ visitor }) => visitor)), new Set([null]))
  t.ok(renewed.some(({ refunded }) => refunded > 0))
  const sums = { amount: 0, refunded: 0, tax: 0, refundedTax: 0 },
    off = { ...sums },
    wrong: string[] = []
  for (const order of own) {
    const row = ours.get(order.name)
    if (row?.type !== order.type) wrong.push(`${order.name}: ${row?.type}, not ${order.type}`)
    const both = [
      ['amount', row?.amount, order.subtotal],
      ['refunded', row?.refunded, order.refunded],
      ['tax', row?.tax, order.tax ?? 0],
      ['refundedTax', row?.refunded_tax, order.refundedTax ?? 0],
    ] as const
    for (const [name, our = 0, their] of both) {
      sums[name] += their
      off[name] += our - their
      if (our !== their) wrong.push(`${order.name} ${name}: ${our}, not ${their}`)
    }
  }
  t.same(wrong, [])
  t.same(off, { amount: 0, refunded: 0, tax: 0, refundedTax: 0 })
  t.ok(sums.amount > 0 && sums.refunded > 0)
  t.comment(`${count} orders, ${untaxed.refunds + taxed.refunds} refunds, ${untaxed.express + taxed.express} express, ${untaxed.subscriptions + taxed.subscriptions} with a subscription, ${renewals} renewals: ${JSON.stringify(sums)} cents`) // prettier-ignore
})
