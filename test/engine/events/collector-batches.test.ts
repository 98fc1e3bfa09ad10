import t from 'tap'
import { sql } from 'kysely'
import { assign } from '../../../domain/tests/assignment.ts'
import type { Problem } from '../../../domain/problem.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'
import { aggregatesOf, beacon, collect, event, noon, visitorIn } from '../support/traffic.ts'
import { shopWithTest } from '../support/collector-shop.ts'

t.test(
  'a batch keeps shops apart even with the same visitor and event id, and a beacon that cannot be stored blocks no other',
  async t => {
    const { app, db, testId } = await shopWithTest(t)
    const otherStore = await seedStore(db, {
      shop: secondShop,
      domain: secondShop,
      origin: 'http://localhost:3003',
    })
    const otherTest = await seedTest(db, otherStore)
    await seedStore(db, {
      shop: 'nowhere.demo-shop.test',
      domain: 'nowhere.demo-shop.test',
      time_zone: 'Nowhere/Land',
    })
    const exposure = event('exposure', noon, [testId]),
      visitor = visitorIn(testId, 0, 'anna')
    const arm = assign(otherTest, visitor, [0.5, 0.5])
    // When the collector knows all three shops, it reads none of them first, so the beacons wait in
    // one batch.
    for (const shop of [secondShop, 'nowhere.demo-shop.test'])
      await collect(app, beacon(visitor, {}, [event('view', noon)], { shop }), {
        origin: `https://${shop}`,
      })
    const answers = await Promise.all([
      collect(app, beacon(visitor, { [testId]: [0, 7] }, [exposure])),
      collect(
        app,
        beacon('visitor-nowhere', {}, [event('view', noon)], { shop: 'nowhere.demo-shop.test' }),
      ),
      collect(
        app,
        beacon(
          visitor,
          { [otherTest]: [arm, 7], [testId]: [0, 7] },
          [{ ...exposure, tests: [otherTest] }],
          { shop: secondShop },
        ),
        { origin: 'http://localhost:3003' },
      ),
    ])
    t.same(
      answers.map(a => a.statusCode),
      [204, 400, 204],
    )
    const { rows } = await sql<{
      test_id: string
      visitors: number
    }>`select test_id, visitors from test_days where dimension = 'all'`.execute(db.kysely)
    t.same(
      rows.sort((a, b) => (a.test_id === testId ? -1 : b.test_id === testId ? 1 : 0)),
      [
        { test_id: testId, visitors: 1 },
        { test_id: otherTest, visitors: 1 },
      ],
    )
  },
)

t.test(
  'a collector that cannot read the stores table answers 503, and accepts the events once it can',
  async t => {
    const { app, db } = await shopWithTest(t)
    const good = beacon('visitor-one', {}, [event('view', noon)])
    await sql`alter table stores rename to away`.execute(db.kysely)
    const refused = await collect(app, good)
    t.equal(refused.statusCode, 503)
    t.match(refused.json<Problem>(), { message: /again/ })
    await sql`alter table away rename to stores`.execute(db.kysely)
    t.equal((await collect(app, good)).statusCode, 204)
  },
)

t.test(
  'when events cannot be written the collector answers 503, and accepts the same events later',
  async t => {
    const { app, db } = await shopWithTest(t)
    const good = beacon('visitor-one', {}, [event('view', noon)])
    await collect(app, beacon('visitor-two', {}, [event('view', noon)]))
    await sql`alter table events rename to away`.execute(db.kysely)
    t.equal((await collect(app, good)).statusCode, 503)
    await sql`alter table away rename to events`.execute(db.kysely)
    t.equal((await collect(app, good)).statusCode, 204)
    t.match(await aggregatesOf(db), { periods: [{}, { visitors: 2 }] })
  },
)
