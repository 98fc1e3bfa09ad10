import t from 'tap'
import { sql } from 'kysely'
import type { Goal } from '../../../domain/reports/goal.ts'
import { startEngine } from '../support/engine.ts'

const { db, now, shop, call, close } = await startEngine()
t.teardown(close)
const store = (await call('storeInfo', {})).id
now.at = new Date('2026-11-21T12:00:00Z')
const { token } = await call('auth', { body: { idToken: await shop.idToken() } })

async function launched(goal: Goal, page = '/products/*') {
  const draft = await call(
    'createDraft',
    { body: { kind: 'PageElement', title: 'Planned', goal } },
    token,
  )
  await call(
    'setDomSelectors',
    {
      params: { id: draft.hypotheses[1]!.id },
      body: {
        domSelectors: [
          {
            id: '',
            urlPatterns: [page],
            actions: [{ selector: 'h1', kind: 'hide', value: '', name: '' }],
          },
        ],
      },
    },
    token,
  )
  const { testId } = await call('launchDraft', { params: { id: draft.id } }, token)
  const test = await call('test', { params: { id: testId } }, token)
  // The test ends here, because the next one would share its visitors.
  await call('updateTest', { params: { id: testId }, body: { status: 'Ended' } }, token)
  return {
    visitors: test.plannedVisitors,
    days: (Date.parse(test.endsAt!) - Date.parse(test.startAt!)) / 86_400_000,
  }
}

t.test('a shop without history gets two weeks and the sample of an average shop', async t => {
  const plan = await launched('ConversionRate')
  // (1.96 + 0.8416)² · 2·2 · 0.03·0.97 / (0.1·0.03)², both arms
  t.equal(plan.days, 14)
  t.ok(
    Math.abs(plan.visitors - (2.8016 ** 2 * 4 * 0.0291) / 0.003 ** 2) < 10,
    String(plan.visitors),
  )
})

t.test(
  'with history, the plan uses the shop’s conversion rate and the visitors of the tested pages',
  async t => {
    // Ten full days, 600 visitors a day, each once; half of them see a product, a tenth buys.
    for (let day = 11; day <= 20; day++) {
      const visitors = Array.from({ length: 600 }, (_, i) => `visitor-${day}-${i}`)
      await db.kysely
        .insertInto('store_visitors' as never)
        .values(
          visitors.map(visitor_id => ({
            store_id: store,
            period: `day:2026-11-${day}`,
            visitor_id,
          })) as never,
        )
        .execute()
      await db.kysely
        .insertInto('events' as never)
        .values(
          visitors.map((visitor_id, i) => ({
            store_id: store,
            day: `2026-11-${day}`,
            id: `event-${day}-${i}`,
            at: `2026-11-${day}T15:00:00Z`,
            kind: 1,
            device: 0,
            set_aside: 0,
            is_bot: false,
            is_new: true,
            visitor_id,
            session_id: 'session-1',
            path: i % 2 ? '/products/mug' : '/',
            claims: '{}',
          })) as never,
        )
        .execute()
      await db.kysely
        .insertInto('orders' as never)
        .values(
          visitors
            .filter((_, i) => i % 10 === 0)
            .map((visitor_id, i) => ({
              store_id: store,
              order_id: `${day}-${i}`,
              created_at: `2026-11-${day}T16:00:00Z`,
              day: `2026-11-${day}`,
              visitor_id,
              amount: 5_000,
              refunded: 0,
              is_test: false,
              triggered_at: `2026-11-${day}T16:00:00Z`,
            })) as never,
        )
        .execute()
    }
    const all = await launched('ConversionRate', '/*')
    const needed = (2.8016 ** 2 * 4 * 0.09) / 0.01 ** 2
    t.ok(Math.abs(all.visitors - needed) < 10, `${all.visitors} for ${needed}`)
    t.equal(all.days, Math.ceil(needed / 600 / 7) * 7)
    const half = await launched('ConversionRate')
    t.equal(
      half.days,
      Math.min(84, Math.ceil(needed / 300 / 7) * 7),
      'half the visitors, twice the time',
    )
    const money = await launched('RevenuePerSession', '/*')
    // All orders have the same amount, so revenue per visitor varies exactly as the conversion rate
    // does.
    t.ok(Math.abs(money.visitors / all.visitors - 1) < 0.01, String(money.visitors))
  },
)

t.test('forged visitors who are set aside do not change how long a test takes', async t => {
  const before = await launched('ConversionRate')
  await sql`insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims)
    select ${store}, '2026-11-20', '0000-' || n, '2026-11-20T15:00:00Z', 1, 0, 0, false, true, 'forged-' || n, 'session-1', '/elsewhere', '{}' from generate_series(1, 20000) n`.execute(
    db.kysely,
  )
  await sql`insert into visitors_aside select ${store}, 'forged-' || n, gen_random_uuid() from generate_series(1, 20000) n`.execute(
    db.kysely,
  )
  t.same(await launched('ConversionRate'), before)
  await sql`delete from events where id like '0000-%'`.execute(db.kysely)
})

t.test('event ids that a sender chooses do not change how long a test takes', async t => {
  const before = await launched('ConversionRate')
  // More events than the plan reads, of only ten visitors. Sorted by id they come first.
  await sql`insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims)
    select ${store}, '2026-11-20', '0000-' || n, '2026-11-20T15:00:00Z', 1, 0, 0, false, true, 'first-' || n % 10, 'session-1', '/elsewhere', '{}' from generate_series(1, 25000) n`.execute(
    db.kysely,
  )
  const after = await launched('ConversionRate')
  t.ok(Math.abs(after.days - before.days) <= 7, `${after.days} days, not ${before.days}`)
})
