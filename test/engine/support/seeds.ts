import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Db } from '../../../engine/db/connection.ts'
import { packScript } from '../../../engine/script/script-body.ts'
import type { StoresTable, TestsTable } from '../../../engine/db/schema.ts'

/** Inserts a store without the API. `over` replaces default values. Returns the store's id. */
export async function seedStore(
  db: Db,
  over: Partial<Insertable<StoresTable>> = {},
): Promise<string> {
  const store_id = over.store_id ?? randomUUID()
  const at = over.created_at ?? new Date('2026-11-01T00:00:00Z')
  await db.kysely
    .insertInto('stores')
    .values({
      store_id,
      platform: 'demo',
      shop: 'fern-and-kiln.demo-shop.test',
      domain: 'fern-and-kiln.demo-shop.test',
      origin: 'http://localhost:3002',
      name: 'Fern & Kiln',
      currency: 'USD',
      time_zone: 'America/New_York',
      email: null,
      phone: null,
      theme_id: null,
      industry: null,
      team_size: null,
      testing_experience: null,
      source: null,
      onboarded: true,
      has_subscribed: true,
      status: 'installed',
      plan_id: 'advanced-100k-monthly',
      pending_plan: null,
      trial: false,
      segment_status: null,
      subscription_status: 'Active',
      current_subscription_end: null,
      next_bill: null,
      usage_reset: null,
      trial_end: null,
      feature_flags: '[]',
      created_at: at,
      updated_at: at,
      ...over,
    })
    .execute()
  return store_id
}

/** Stores a script as the store's published one. `runtime`: the release that made it. */
export async function seedScript(
  db: Db,
  store_id: string,
  body: string,
  runtime: string | null = null,
): Promise<void> {
  await db.kysely
    .insertInto('published_scripts')
    .values({
      store_id,
      wanted: 1,
      published: 1,
      next_attempt_at: new Date(),
      runtime,
      ...(await packScript(Buffer.from(body))),
    })
    .execute()
}

/**
 * Inserts a test that has been Active since `start_at` (default: 1 November 2026), and ended at
 * `ended_at` if given. Returns its id.
 */
export async function seedTest(
  db: Db,
  store_id: string,
  over: Partial<Insertable<TestsTable>> = {},
): Promise<string> {
  const test_id = over.test_id ?? randomUUID()
  const start = new Date(over.start_at ?? '2026-11-01T00:00:00Z')
  const row: Insertable<TestsTable> = {
    store_id,
    test_id,
    draft_id: randomUUID(),
    kind: 'PageElement',
    title: 'A test',
    hypothesis_description: '',
    control_title: 'Control',
    variant_title: 'Variant',
    goal: 'ConversionRate',
    weights: '[0.5,0.5]',
    minimum_effect: 0.1,
    control_url: '',
    redirect_url: '',
    dom_selectors: '[]',
    control_hypothesis_id: randomUUID(),
    variant_hypothesis_id: randomUUID(),
    launch_at: null,
    automatically_end_at: null,
    created_at: start,
    updated_at: start,
    status: over.ended_at ? 'Ended' : 'Active',
    // Each test has its own page by default. Tests that must share visitors set the same pages.
    pages: JSON.stringify([`/products/${test_id}`]),
    start_at: start,
    ends_at: new Date(start.getTime() + 14 * 86_400_000),
    ended_at: null,
    applied_at: null,
    planned_visitors: 10_000,
    verdict_kind: null,
    verdict_at: null,
    verdict_lift: null,
    verdict_chance: null,
    ...over,
  }
  await db.kysely.insertInto('tests').values(row).execute()

  const spans = [
    { status: 'Active' as const, applied_on: start },
    ...(row.ended_at ? [{ status: 'Ended' as const, applied_on: row.ended_at }] : []),
  ]
  await db.kysely
    .insertInto('test_history')
    .values(spans.map(span => ({ store_id, test_id, ...span })))
    .execute()
  return test_id
}
