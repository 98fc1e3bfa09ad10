import t from 'tap'
import { day } from '../../../domain/time-units.ts'
import { beacon, collect, event, noon } from '../support/traffic.ts'
import { startWithShop } from '../support/with-shop.ts'

const own = await startWithShop()
t.teardown(own.close)
const { db, engine, now } = own

t.test('views of one visitor do not replace pages that several visitors saw', async t => {
  now.at = new Date(noon)
  const view = (visitor: string, paths: string[]) =>
    collect(
      engine.app,
      beacon(
        `visitor-${visitor}`,
        {},
        paths.map(path => ({ ...event('view', noon), path })),
      ),
      { origin: own.shopOrigin },
    )
  for (const name of ['anna', 'ben'])
    t.equal((await view(name, ['/products/mug', '/products/mug', '/pages/seen'])).statusCode, 204)
  t.equal((await view('cleo', ['/products/mug', '/pages/seen'])).statusCode, 204)
  // Five views of each of 310 addresses that do not exist.
  for (let n = 0; n < 310; n += 10) {
    const paths = Array.from({ length: 50 }, (_, i) => `/made-up/${n + (i % 10)}`)
    t.equal((await view('stranger', paths)).statusCode, 204)
  }
  now.at = new Date(noon + day)
  await engine.countPages()
  const kept = await db.kysely
    .selectFrom('page_days')
    .select(['name', 'visitors', 'views'])
    .where('scope', '=', 'path')
    .orderBy('visitors', 'desc')
    .orderBy('views', 'desc')
    .execute()
  t.equal(kept.length, 300, 'at most 300 rows, so random addresses do not fill the table')
  t.same(kept.slice(0, 2), [
    { name: '/products/mug', visitors: 3, views: 5 },
    { name: '/pages/seen', visitors: 3, views: 3 },
  ])
})
