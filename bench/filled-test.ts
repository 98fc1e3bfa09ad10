import { sql } from 'kysely'
import type { Db } from '../engine/db/connection.ts'
import { eventKinds } from '../domain/events/event.ts'
import { day as dayLength } from '../domain/time-units.ts'
import { partitionOf } from '../engine/events/event-days.ts'
import { runningTest } from './running-test.ts'

export type Filling = { visitors: number; eventsPerVisitor: number; orders: number; days: number }

/**
 * Creates a running test with this many visitors, spread over its days, with their events, orders
 * and all aggregates.
 * Uses statements over whole tables, since sending the events would take hours. Arms alternate
 * instead of following the hash.
 */
export async function filledTest(
  db: Db,
  shop: string,
  { visitors, eventsPerVisitor, orders, days }: Filling,
): Promise<{ storeId: string; testId: string }> {
  const ids = await runningTest(db, shop, days)
  const store = sql.lit(ids.storeId),
    test = sql.lit(ids.testId)
  const { kysely } = db,
    run = (text: ReturnType<typeof sql>) => text.execute(kysely)
  const start = new Date(Date.now() - days * dayLength)
  // The properties of visitor n follow from n: its parity, or its position in short lists.
  await run(sql`
    insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_new, device, session_id, channel, referrer, country, first_exposed_at, last_click_at, last_cart_at)
    select ${store}, ${test}, 'filled-visitor-' || n, n % 2, 7, 1 << (n % 2), false, n % 5 > 0, n % 3, 'filled-session-' || n, n % 10, (array['', 'google.com', 'blog.example', 'pinterest.com'])[n % 4 + 1], (array['US', 'DE', 'FR', null])[n / 4 % 4 + 1],
      at, case when n % 7 = 0 then at + interval '1 minute' end, case when n % 11 = 0 then at + interval '2 minutes' end
    from generate_series(0, ${sql.lit(visitors - 1)}) n, lateral (select ${sql.lit(start.toISOString())}::timestamptz + interval '1 hour' + make_interval(secs => n::float8 / ${sql.lit(visitors)} * ${sql.lit((days * dayLength) / 1000 - 7200)}) as at) a`)
  const counts = sql`count(*), count(last_click_at), count(last_cart_at), count(*) filter (where is_new), count(*)`
  await run(sql`
    insert into test_days (store_id, test_id, day, arm, dimension, value, visitors, clickers, adders, bounces, sessions)
    select ${store}, ${test}, (first_exposed_at at time zone 'America/New_York')::date, arm, d.dimension, d.value, ${counts}
    from test_visitors, lateral (values ('all', ''), ('device', (array['desktop', 'phone', 'tablet'])[device + 1])) d(dimension, value) where test_id = ${test} group by 3, 4, 5, 6`)
  await run(sql`
    insert into test_cube (store_id, test_id, country, referrer, arm, device, channel, is_new, visitors, clickers, adders, bounces, sessions)
    select ${store}, ${test}, c.country, r.referrer, arm, device, channel, is_new, ${counts}
    from test_visitors v, lateral (values ('*'), (v.referrer)) r(referrer), lateral (values ('*'), (v.country)) c(country) where test_id = ${test} and c.country is not null group by 3, 4, 5, 6, 7, 8`)
  await run(sql`
    insert into test_arms (store_id, test_id, arm, assigned, applied, exposed, recorded, bots, both_arms, set_aside)
    select ${store}, ${test}, arm, count(*), count(*), count(*), count(*), 0, 0, 0 from test_visitors where test_id = ${test} group by arm`)
  await run(
    sql`insert into visitor_sessions (store_id, visitor_id, session_id, first_at, last_at, views) select ${store}, visitor_id, session_id, first_exposed_at, first_exposed_at + interval '5 minutes', 1 from test_visitors where test_id = ${test}`,
  )
  await run(sql`
    insert into test_product_visitors (store_id, test_id, product_id, arm, viewers, adders)
    select ${store}, ${test}, 'product-' || p, arm, ${sql.lit(Math.ceil(visitors / 100))}, ${sql.lit(Math.ceil(visitors / 1000))} from generate_series(1, 50) p, (values (0), (1)) a(arm)`)
  await run(sql`
    insert into orders (store_id, order_id, name, type, created_at, day, visitor_id, amount, refunded, is_test, lines, units, triggered_at)
    select ${store}, 'filled-order-' || o, '#' || o, case when o % 9 = 0 then 'subscription' else 'oneTime' end, at, (at at time zone 'America/New_York')::date, v.visitor_id, amount, case when o % 25 = 0 then 500 else 0 end, false,
      jsonb_build_array(jsonb_build_object('productId', 'product-' || o % 50 + 1, 'variantId', 'one', 'title', 'Product ' || o % 50 + 1, 'quantity', 1, 'amount', amount, 'isSubscription', o % 9 = 0)), 1, at
    from generate_series(0, ${sql.lit(orders - 1)}) o, lateral (select 'filled-visitor-' || (o::bigint * 7919 % ${sql.lit(visitors)}) as visitor_id, 1000 + o * 37 % 9000 as amount) w
      join test_visitors v on v.store_id = ${store} and v.test_id = ${test} and v.visitor_id = w.visitor_id, lateral (select v.first_exposed_at + interval '10 minutes' as at) a`)
  if (eventsPerVisitor > 0) await fillEvents(db, ids, eventsPerVisitor)
  await run(
    sql`insert into test_changes (store_id, test_id, changed, orders_changed) values (${store}, ${test}, 1, 1)`,
  )
  await run(sql`analyze`)
  return ids
}

/**
 * Fills one day at a time, in a table that then becomes the day's partition: creating the indexes
 * afterwards is quicker than maintaining them.
 */
async function fillEvents(
  { kysely }: Db,
  { storeId, testId }: { storeId: string; testId: string },
  perVisitor: number,
): Promise<void> {
  const { rows } = await sql<{
    day: string
  }>`select distinct day::text as day from test_days where test_id = ${testId} order by 1`.execute(
    kysely,
  )
  const kind = (name: (typeof eventKinds)[number]) => sql.lit(eventKinds.indexOf(name))
  for (const { day } of rows) {
    const name = partitionOf(day),
      next = new Date(Date.parse(day) + dayLength).toISOString().slice(0, 10)
    await sql`create table ${sql.id(name)} (like events including defaults)`.execute(kysely)
    await sql`
      insert into ${sql.id(name)} (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims, tests, landing, referrer, country)
      select store_id, ${sql.lit(day)}, visitor_id || '-' || e, first_exposed_at + make_interval(secs => e), case e when 0 then ${kind('exposure')} when 7 then ${kind('click')} when 12 then ${kind('cart')} else ${kind('view')} end,
        device, 0, false, is_new, visitor_id, session_id, '/products/stoneware-mug', ('{"' || test_id || '":[' || arm || ',7]}')::json, case when e in (0, 7) then array[test_id] end,
        case when e = 0 then '/products/stoneware-mug' end, case when e = 0 then referrer end, case when e = 0 then country end
      from test_visitors, generate_series(0, ${sql.lit(perVisitor - 1)}) e
      where test_id = ${sql.lit(testId)} and store_id = ${sql.lit(storeId)} and (first_exposed_at at time zone 'America/New_York')::date = ${sql.lit(day)}`.execute(
      kysely,
    )
    await sql`alter table events attach partition ${sql.id(name)} for values from (${sql.lit(day)}) to (${sql.lit(next)})`.execute(
      kysely,
    )
  }
}
