import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { day } from '../domain/time-units.ts'
import type { Db } from '../engine/db/connection.ts'

/**
 * Creates a shop with one test that has run for these days. Writes directly to the database,
 * because signing in and launching are not measured.
 */
export async function runningTest(
  db: Db,
  shop: string,
  days: number,
): Promise<{ storeId: string; testId: string }> {
  const storeId = randomUUID(),
    testId = randomUUID()
  const now = Date.now(),
    start = new Date(now - days * day),
    end = new Date(now + 7 * day)
  await sql`
    insert into stores (store_id, platform, shop, domain, origin, name, currency, time_zone, onboarded, has_subscribed, plan_id, subscription_status, status, trial, feature_flags, created_at, updated_at)
    values (${storeId}, 'demo', ${shop}, ${shop}, 'http://localhost:3002', 'Bench', 'USD', 'America/New_York', true, true, 'advanced-100k-monthly', 'Active', 'installed', false, '[]', ${start}, ${start})`.execute(
    db.kysely,
  )
  await sql`
    insert into tests (store_id, test_id, kind, title, hypothesis_description, control_title, variant_title, goal, weights, minimum_effect, control_url, redirect_url, dom_selectors,
      control_hypothesis_id, variant_hypothesis_id, created_at, updated_at, draft_id, status, pages, start_at, ends_at, planned_visitors)
    values (${storeId}, ${testId}, 'PageElement', 'Bench', '', 'Control', 'Variant', 'ConversionRate', '[0.5,0.5]', 0.1, '', '', '[]',
      ${randomUUID()}, ${randomUUID()}, ${start}, ${start}, ${randomUUID()}, 'Active', '["/products/*"]', ${start}, ${end}, 100000)`.execute(
    db.kysely,
  )
  await sql`insert into test_history (store_id, test_id, status, applied_on) values (${storeId}, ${testId}, 'Active', ${start})`.execute(
    db.kysely,
  )
  return { storeId, testId }
}
