import t from 'tap'
import { sql } from 'kysely'
import { assign } from '../../../domain/tests/assignment.ts'
import { reservedTest } from '../../../domain/tests/exclusion-choice.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { beacon, collect, collectingApp, event, noon } from '../support/traffic.ts'
import { minute } from '../support/collector-shop.ts'

t.test(
  'a visitor of one test is not counted for another test that could disturb it, as in the script',
  async t => {
    const db = await freshDb()
    const app = await collectingApp(db, () => new Date(noon))
    t.teardown(async () => {
      await app.close()
      await db.close()
    })
    const storeId = await seedStore(db)
    const start = new Date(noon - 10 * 86_400_000),
      pages = '["/products/*"]'
    const [first, second, apart, late] = [
      await seedTest(db, storeId, { start_at: start, pages }),
      await seedTest(db, storeId, { start_at: start, pages: '["/*-mug"]' }),
      await seedTest(db, storeId, { start_at: start, pages: '["/cart"]' }),
      await seedTest(db, storeId, { start_at: new Date(noon - minute), pages }),
    ]
    /**
     * The claims of a browser that met all these tests, in this order: the visitor's arm in each.
     */
    const met = (visitor: string, ...ids: string[]) =>
      Object.fromEntries(
        ids.map(id => [id, [assign(id, visitor, [0.5, 0.5]), 7] as [0 | 1, number]]),
      )
    const verdicts = async (visitor: string, isNew: boolean, ...ids: string[]) => {
      await collect(
        app,
        beacon(
          visitor,
          met(visitor, ...ids),
          ids.map(id => event('exposure', noon, [id])),
          { isNew },
        ),
      )
      const { rows } = await sql<{
        test: string
        set_aside: number
      }>`select tests[1]::text as test, set_aside from events where visitor_id = ${visitor} order by id`.execute(
        db.kysely,
      )
      return rows.map(row => row.set_aside)
    }
    t.same(
      await verdicts('visitor-old-1', false, first, second),
      [0, 5],
      'a visitor counts for the first test that they met',
    )
    t.same(await verdicts('visitor-old-2', false, second, first), [0, 5])
    t.same(
      await verdicts('visitor-old-3', false, first, apart),
      [0, 0],
      'a test on other pages disturbs none',
    )
    t.same(
      await verdicts('visitor-old-4', false, first, late),
      [0, 0],
      'a cached script may not know a test that has just started',
    )
    const visitor = {
      [first]: visitorOf([first, second], first),
      [second]: visitorOf([first, second], second),
    }
    t.same(
      await verdicts(visitor[first]!, true, first),
      [0],
      'a new visitor counts for the test that the hash chooses',
    )
    t.same(await verdicts(visitor[second]!, true, first), [5])
    t.same(
      await verdicts(`${visitor[second]!}`.replace('visitor', 'returns'), false, first),
      [0],
      'a returning visitor may have been assigned when this test ran alone',
    )
    const {
      rows: [counted],
    } = await sql<{
      recorded: number
      set_aside: number
    }>`select sum(recorded)::int as recorded, sum(set_aside)::int as set_aside from test_arms where test_id = ${first}`.execute(
      db.kysely,
    )
    t.same(counted, { recorded: 5, set_aside: 2 })

    await db.kysely
      .updateTable('tests')
      .set({ audience_ids: '["00000000-0000-4000-8000-000000000004"]' })
      .where('test_id', '=', second)
      .execute()
    const { app: fresh } = { app: await collectingApp(db, () => new Date(noon)) }
    t.teardown(() => fresh.close())
    const phone = visitorOf([first, second], second, 'phones')
    await collect(
      fresh,
      beacon(phone, met(phone, first), [event('exposure', noon, [first])], { isNew: true }),
    )
    t.equal(
      (
        await sql<{
          set_aside: number
        }>`select set_aside from events where visitor_id = ${phone}`.execute(db.kysely)
      ).rows[0]!.set_aside,
      0,
      'only the script knows whether the visitor is in the audience of the other test',
    )
  },
)

t.test(
  'a test that overlaps two separate tests does not exclude them for visitors of both; a redirect’s variant page counts as tested',
  async t => {
    const db = await freshDb()
    const app = await collectingApp(db, () => new Date(noon))
    t.teardown(async () => {
      await app.close()
      await db.close()
    })
    const storeId = await seedStore(db),
      start_at = new Date(noon - 10 * 86_400_000)
    const seed = (over: Parameters<typeof seedTest>[2]) =>
      seedTest(db, storeId, { start_at, ...over })
    const [sent, met, cart] = [
      await seed({ kind: 'UrlRedirect', pages: '["/pages/a"]', redirect_url: '/pages/b#top' }),
      await seed({ pages: '["/pages/b"]' }),
      await seed({ pages: '["/cart"]' }),
    ]
    const theme = await seed({ kind: 'Theme', pages: '["*"]' })
    for (const [i, [ids, expected]] of (
      [
        [
          [met, cart],
          [0, 0],
        ],
        [
          [met, cart, theme],
          [0, 0, 5],
        ],
        [
          [theme, met, cart],
          [0, 5, 5],
        ],
        [
          [sent, met, cart],
          [0, 5, 0],
        ],
      ] as const
    ).entries()) {
      const visitor = `visitor-joined-${i}`,
        claims = Object.fromEntries(
          ids.map(id => [id, [assign(id, visitor, [0.5, 0.5]), 7] as [0 | 1, number]]),
        )
      await collect(
        app,
        beacon(
          visitor,
          claims,
          ids.map(id => event('exposure', noon, [id])),
          { isNew: false },
        ),
      )
      t.same(
        (
          await sql<{
            set_aside: number
          }>`select set_aside from events where visitor_id = ${visitor} order by id`.execute(
            db.kysely,
          )
        ).rows.map(row => row.set_aside),
        expected,
      )
    }
  },
)

function visitorOf(ids: string[], wanted: string, name = 'one'): string {
  for (let n = 0; ; n++) {
    const id = `visitor-${name}-${n}`
    if (reservedTest(ids, id) === wanted) return id
  }
}
