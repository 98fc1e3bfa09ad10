import type { FastifyBaseLogger } from 'fastify'
import { minute } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import { rows as query, run } from '../db/raw.ts'
import type { Platform } from '../platform/adapter.ts'

/**
 * Maximum number of products in one request to the shop, and how long to wait before the next
 * request (milliseconds):
 * ids come from browsers, and anyone can make them up. If the shop knew all ids, we ask again soon;
 * if it knew none, we wait twice as long as before.
 */
const maxAtOnce = 50,
  shortRest = 1_000,
  restBetween = 10_000,
  longestRest = 10 * minute

/**
 * Reads the titles and pictures of a test's products from the shop. Until then the title of an
 * order's line is used, which is that of one product variant. If the shop does not answer, products
 * are named by their ids, and we ask again later.
 */
export type ProductTitles = {
  /** Begins to read the products of a test, and returns at once. */
  learn: (storeId: string, testId: string) => void
  /** Cancels requests that wait for their time. Settles when the running ones are done. */
  settled: () => Promise<void>
}

export function productTitles({
  db,
  platform,
  clock,
  log,
}: {
  db: Db
  platform: Platform
  clock: () => Date
  log: FastifyBaseLogger
}): ProductTitles {
  const running = new Map<string, Promise<void>>(),
    rests = new Map<string, { from: number; length: number }>()
  // `Math.abs`, because the engine's clock may be set back.
  const isResting = (storeId: string) => {
    const rest = rests.get(storeId)
    return rest !== undefined && Math.abs(clock().getTime() - rest.from) < rest.length
  }

  async function ask(storeId: string, testId: string): Promise<void> {
    const unnamed = await query<{ shop: string; product_id: string }>(db.kysely, unnamedSql, [
      storeId,
      testId,
    ])
    if (unnamed.length === 0) return
    const from = clock().getTime(),
      last = Math.max(rests.get(storeId)?.length ?? 0, restBetween / 2)
    rests.set(storeId, { from, length: restBetween })
    const ids = unnamed.map(row => row.product_id)
    const found = await platform.productsById(unnamed[0]!.shop, ids)
    rests.set(storeId, {
      from,
      length:
        found.length === ids.length
          ? shortRest
          : found.length > 0
            ? restBetween
            : Math.min(last * 2, longestRest),
    })
    const products = new Map(found.map(({ product }) => [product.id, product]))
    await run(
      db.kysely,
      `
      insert into product_titles (store_id, product_id, title, image, is_pictured, asked_at) select $1, p.*, true, $5 from unnest($2::text[], $3::text[], $4::text[]) p
      on conflict (store_id, product_id) do update set title = coalesce(excluded.title, product_titles.title), image = excluded.image, is_pictured = true, asked_at = excluded.asked_at`,
      [
        storeId,
        ids,
        ids.map(id => products.get(id)?.title ?? null),
        ids.map(id => products.get(id)?.image ?? null),
        clock(),
      ],
    )
  }

  // Products that come during a rest are asked for right after it, and not only after the test's
  // next summary.
  const waiting = new Map<string, NodeJS.Timeout>()
  const learnLater = (storeId: string, testId: string): void => {
    if (!waiting.has(storeId))
      waiting.set(
        storeId,
        setTimeout(
          () => {
            waiting.delete(storeId)
            titles.learn(storeId, testId)
          },
          rests.get(storeId)?.length ?? shortRest,
        ).unref(),
      )
  }

  const titles: ProductTitles = {
    learn: (storeId, testId) => {
      if (running.has(storeId) || isResting(storeId)) return learnLater(storeId, testId)
      running.set(
        storeId,
        ask(storeId, testId)
          .catch((error: unknown) =>
            log.warn({ err: error, storeId }, 'product titles not read: the shop did not answer'),
          )
          .finally(() => running.delete(storeId)),
      )
    },
    settled: async () => {
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
      await Promise.all(running.values())
    },
  }
  return titles
}

const unnamedSql = `
  select s.shop, p.product_id from (
    select store_id, product_id, viewers from test_product_visitors where store_id = $1 and test_id = $2 and (viewers > 0 or adders > 0)
    union all select store_id, product_id, 1000000 from test_product_orders where store_id = $1 and test_id = $2) p
  join stores s on s.store_id = $1
  where s.status = 'installed' and not exists (select from product_titles t where t.store_id = $1 and t.product_id = p.product_id and t.is_pictured)
  group by s.shop, p.product_id order by sum(p.viewers) desc, p.product_id limit ${maxAtOnce}`
