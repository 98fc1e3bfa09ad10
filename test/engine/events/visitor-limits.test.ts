import t from 'tap'
import type { Beacon, ShopperEvent } from '../../../domain/events/event.ts'
import {
  pagesMeasured,
  sessionsTaken,
  visitorLimit,
  visitorLimits,
} from '../../../engine/events/visitor-limits.ts'

t.test('sessions of a visitor are limited, and so is the number of visitors in memory', async t => {
  const { perDay, kept } = sessionsTaken,
    may = visitorLimit(sessionsTaken, () => 0)
  for (let n = 0; n < perDay; n++) t.ok(may('store', 'visitor', `session-${n}`))
  t.notOk(may('store', 'visitor', 'one too many'))
  for (let n = 0; n < kept; n++) may('store', `visitor-${n}`, 'session')
  t.ok(may('store', 'visitor', 'one too many'), 'the visitor whose day began first is forgotten')
})

t.test('measured pages of a visitor are limited per day, other events are not', async t => {
  const now = { at: 0 },
    take = visitorLimits(() => now.at)
  const event = (id: string, kind: ShopperEvent['kind']): ShopperEvent => ({
    id,
    kind,
    at: 0,
    path: '/',
  })
  const beacon = (events: ShopperEvent[], visitor = 'visitor'): Beacon => ({
    v: 1,
    shop: 'shop',
    visitor,
    session: 'session',
    isNew: true,
    landing: '/',
    referrer: '',
    sent: 0,
    tests: {},
    events,
  })
  const ids = (events: ShopperEvent[], visitor?: string) =>
    take('store', beacon(events, visitor))!.events.map(({ id }) => id)
  const pages = Array.from({ length: pagesMeasured.perDay }, (_, n) => event(`page-${n}`, 'vitals'))
  t.equal(ids(pages).length, pages.length)
  t.same(ids([event('view', 'view'), event('more', 'vitals')]), ['view'])
  t.equal(ids(pages).length, pages.length, 'a page that is sent again is accepted again')
  t.same(ids([event('more', 'vitals')], 'another'), ['more'])
  now.at = 86_400_000
  t.same(ids([event('more', 'vitals')]), ['more'], 'the next day the count starts at zero')
})
