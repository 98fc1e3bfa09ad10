import t from 'tap'
import { assign } from '../../domain/tests/assignment.ts'
import type { ScriptConfig, ScriptTest } from '../../domain/script/script-config.ts'
import { chanceOf } from '../../demo-shop/shoppers/chance.ts'
import { arrivals, meetPerson } from '../../demo-shop/shoppers/people.ts'
import { demoPhases, demoTests } from '../../demo-shop/shoppers/demo-tests.ts'
import { products } from '../../demo-shop/catalogue/collections.ts'
import { makeVisit, type Shopper, type Visit, type World } from '../../demo-shop/shoppers/visit.ts'

const button: ScriptTest = {
  id: '7d4f4b6e-0000-4000-8000-000000000001',
  weights: [0.5, 0.5],
  pages: ['/products/*'],
  changes: [{ selector: 'h1', kind: 'text', value: 'x', name: '' }],
}
const guide: ScriptTest = {
  id: '7d4f4b6e-0000-4000-8000-000000000002',
  weights: [0.3, 0.7],
  pages: ['/pages/gift-guide'],
  to: '/pages/gift-guide-2026',
}
const config: ScriptConfig = {
  shop: 'fern-and-kiln.demo-shop.test',
  collect: 'http://localhost/collect',
  preview: 'http://localhost/s/preview.js',
  tests: [button, guide],
}
const noon = Date.UTC(2026, 10, 20, 17)

const world = (lift: number, gone: string[] = []): World => ({
  liveTheme: 'kiln',
  config,
  origin: 'http://localhost',
  running: () => config.tests,
  lift: id => (id === button.id ? lift : 0),
  preferred: [],
  sells: path => !gone.includes(path),
  dwell: chance => Math.floor(chance.between(1000, 9000)),
})
function shopperAt(seed: string): Shopper {
  const chance = chanceOf(seed),
    aside = chanceOf(`${seed} aside`)
  return {
    person: meetPerson(chance, aside),
    memory: null,
    chance,
    aside,
    resolve: () => chance.next(),
  }
}
const visits = (count: number, lift: number): [Shopper, Visit][] =>
  Array.from({ length: count }, (_, i) => {
    const shopper = shopperAt(`shopper ${i}`)
    return [shopper, makeVisit(world(lift), shopper, noon, true)]
  })

t.test(
  'the configured lift is the relative change of the purchase rate; adds and clicks follow it',
  async t => {
    const rates = (lift: number) => {
      const sums = [0, 1].map(() => ({ met: 0, bought: 0, added: 0, clicked: 0 }))
      for (const [{ person, memory }, { events, purchase }] of visits(40_000, lift)) {
        const arm = memory?.tests[button.id]?.[0]
        if (person.isBot || arm === undefined) continue
        const sum = sums[arm]!
        sum.met++
        sum.bought += Number(purchase !== null)
        sum.added += Number(events.some(e => e.kind === 'cart'))
        sum.clicked += Number(events.some(e => e.kind === 'click' && e.tests?.includes(button.id)))
      }
      const [control, variant] = sums as [(typeof sums)[0], (typeof sums)[0]]
      const lifts = (['bought', 'added', 'clicked'] as const).map(
        what => variant![what] / variant!.met / (control![what] / control!.met) - 1,
      )
      return lifts as [number, number, number]
    }
    const [bought, added, clicked] = rates(0.5)
    // Four standard errors of the ratio at these counts.
    t.ok(Math.abs(bought - 0.5) < 0.16, `bought ${bought}`)
    t.ok(added > 0.2 && added < 0.5, `added ${added}`)
    t.ok(clicked > 0.04, `clicked ${clicked}`)
    t.ok(Math.abs(rates(0)[0]) < 0.16, 'without a lift the arms buy equally')
  },
)

t.test(
  'simulated shoppers send what the script sends: arms from assign(), one exposure per test, followed redirects',
  async t => {
    let redirected = 0
    for (const [{ person, memory }, { beacons, events }] of visits(3000, 0.2)) {
      if (person.isRefusing) {
        t.same([memory, beacons], [null, []])
        continue
      }
      for (const { visitor, tests } of beacons)
        for (const test of config.tests)
          if (tests[test.id]) t.equal(tests[test.id]![0], assign(test.id, visitor, test.weights))
      for (const { id } of config.tests)
        t.ok(events.filter(e => e.kind === 'exposure' && e.tests?.[0] === id).length <= 1)
      t.equal(new Set(events.map(e => e.id)).size, events.length)
      t.same(
        beacons.flatMap(b => b.events),
        events,
      )
      const met = memory!.tests[guide.id]
      if (met?.[0] === 1) {
        redirected++
        t.ok(
          events.some(e => e.kind === 'view' && e.path.startsWith('/pages/gift-guide-2026')),
          'the shopper arrived at the redirect’s page',
        )
        t.equal(met[1], 7, 'assigned, exposed, applied')
      }
    }
    t.ok(redirected > 100)
  },
)

t.test(
  'shoppers send what the script sends: products of views and adds, speed of tested pages, consent',
  async t => {
    const told = visits(1500, 0.2).flatMap(([{ person }, { beacons, purchase }]) =>
      beacons.map(beacon => ({ person, beacon, purchase })),
    )
    const ids = new Set(products.map(({ id }) => String(id)))
    const speeds: Record<string, number[]> = { phone: [], desktop: [] }
    let measured = 0
    for (const { person, beacon, purchase } of told) {
      t.equal(beacon.consent, person.isConsenting ? true : undefined)
      for (const { kind, path, product, vitals, tests } of beacon.events) {
        if (kind === 'view' || kind === 'cart')
          t.equal(
            product !== undefined && ids.has(product),
            path.startsWith('/products/'),
            `${kind} ${path}`,
          )
        else t.equal(product, undefined)
        if (kind !== 'vitals') continue
        measured++
        t.ok(
          tests!.length > 0 &&
            vitals!.lcp! > 200 &&
            (vitals!.cls === undefined) === !person.userAgent.includes('Chrome/'),
          JSON.stringify(vitals),
        )
        speeds[/iPhone|Pixel/.test(person.userAgent) ? 'phone' : 'desktop']!.push(vitals!.lcp!)
      }
      const added = beacon.events
        .filter(({ kind }) => kind === 'cart')
        .map(({ product }) => product)
      for (const { id } of purchase?.lines ?? [])
        t.ok(
          added.includes(
            String(
              products.find(({ variants }) => variants.some(variant => variant.id === id))!.id,
            ),
          ),
          'each bought product was added to the cart before',
        )
    }
    const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
    t.ok(
      measured > 500 && middle(speeds['phone']!) > middle(speeds['desktop']!) * 1.1,
      'pages load slower on phones',
    )
    t.ok(told.some(({ beacon }) => beacon.consent) && told.some(({ beacon }) => !beacon.consent))
  },
)

t.test('the same seed gives the same shoppers, another gives others', async t => {
  const one = (seed: string) => makeVisit(world(0.2), shopperAt(seed), noon, true)
  t.same(one('a'), one('a'))
  t.notSame(one('a').events[0]!.id, one('b').events[0]!.id)
})

t.test('many shoppers are plausible: most use phones, some are bots, nights are quiet', async t => {
  const chance = chanceOf('crowd'),
    aside = chanceOf('crowd aside')
  const people = Array.from({ length: 5000 }, () => meetPerson(chance, aside))
  const share = (is: (p: (typeof people)[0]) => boolean) => people.filter(is).length / people.length
  t.ok(Math.abs(share(p => p.isBot) - 0.015) < 0.008)
  t.ok(Math.abs(share(p => p.isRefusing) - 0.03) < 0.01)
  t.ok(share(p => p.userAgent.includes('Mobile')) > 0.5)
  t.ok(share(p => p.country === 'US') > 0.7 && new Set(people.map(p => p.country)).size > 5)
  const times = arrivals(5000, noon - 14 * 86_400_000, noon, 'America/New_York', chance)
  t.same(
    times,
    times.toSorted((a, b) => a - b),
  )
  const hour = (at: number) =>
    Number(
      new Intl.DateTimeFormat('en-US', {
        timeZone: 'America/New_York',
        hour: 'numeric',
        hourCycle: 'h23',
      }).format(at),
    )
  t.ok(times.filter(at => hour(at) === 19).length > 5 * times.filter(at => hour(at) === 3).length)
})

t.test('the demo data’s past has no gap, and each test begins and ends in it once', async t => {
  const now = new Date(noon)
  const phases = demoPhases(now)
  phases.slice(1).forEach((phase, i) => t.same(phase.from, phases[i]!.to))
  t.same(phases.at(-1)!.to, now)
  t.same(
    phases.flatMap(p => p.launch),
    demoTests,
  )
  t.same(
    phases.flatMap(p => p.end),
    demoTests
      .filter(test => test.endedDaysAgo !== null)
      .sort((a, b) => b.endedDaysAgo! - a.endedDaysAgo!),
  )
})

t.test(
  'nobody buys a product that is no longer on sale, and this changes no other purchase',
  async t => {
    const popular = [
      '/products/ash-glaze-mug',
      '/products/iron-glaze-bowl',
      '/products/linen-apron',
    ]
    const ids = products
      .filter(product => popular.includes(product.url))
      .flatMap(product => product.variants.map(variant => variant.id))
    const purchase = (gone: string[], seed: string) =>
      makeVisit(world(0, gone), shopperAt(seed), noon, true).purchase
    const seeds = Array.from({ length: 4000 }, (_, i) => `gone ${i}`)
    const bought = seeds.flatMap(seed => purchase(popular, seed)?.lines ?? [])
    t.ok(bought.length > 20)
    t.same(
      bought.filter(({ id }) => ids.includes(id)),
      [],
    )
    const untouched = seeds.filter(seed =>
      purchase([], seed)?.lines.every(({ id }) => !ids.includes(id)),
    )
    t.ok(untouched.length > 10)
    for (const seed of untouched)
      t.same(purchase(popular, seed)?.lines, purchase([], seed)?.lines, seed)
  },
)
