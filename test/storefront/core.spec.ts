import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { fc } from '../properties.ts'
import { Check } from 'typebox/value'
import { assign } from '../../domain/tests/assignment.ts'
import { beaconLimits, stage } from '../../domain/events/event.ts'
import { BeaconInput } from '../../domain/events/event-schema.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { buildBeacons } from '../../storefront/beacon.ts'
import { allRules } from '../../storefront/all-rules.ts'
import {
  act,
  recogniseVisitor,
  visitorLife,
  visitPage,
  type Page,
  type VisitorMemory,
} from '../../storefront/core.ts'
import { placeToBe } from '../../storefront/preview/preview-place.ts'
import { isAt, takeAlong, targetOf } from '../../domain/tests/redirect-url.ts'

const minute = 60_000
let count = 0
const newId = () => `id-${String(count++).padStart(8, '0')}`
const page = (path: string, now = 0, referrer = ''): Page => ({
  url: `https://pots.example${path}`,
  referrer,
  now,
  newId,
  facts: {},
  canRedirect: () => true,
})
const rules = allRules(
  () => 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile',
  'pots.example',
)
const visit = (config: Parameters<typeof visitPage>[0], memory: VisitorMemory, page: Page) =>
  visitPage(config, memory, page, rules)
const visitorIn = (test: string, arm: 0 | 1): VisitorMemory => {
  let visitor = newId()
  while (assign(test, visitor, [0.5, 0.5]) !== arm) visitor = newId()
  return { visitor, born: 0, tests: {} }
}
const mug: ScriptTest = {
  id: 'test-mug-1',
  weights: [0.5, 0.5],
  pages: ['/products/*'],
  changes: [{ selector: 'h1', kind: 'text', name: '', value: 'New' }],
}
const guide: ScriptTest = {
  id: 'test-guide',
  weights: [0.5, 0.5],
  pages: ['/pages/guide'],
  to: '/pages/guide-2026',
}

test.describe('sessions and visitors', () => {
  test('a session ends after 30 minutes without activity, not before', () => {
    const memory = recogniseVisitor(null, page('/'))
    act(memory, page('/', 0, 'https://search.example/'), 'view')
    const first = memory.session!
    act(memory, page('/a', 30 * minute), 'view')
    expect(memory.session).toBe(first)
    act(memory, page('/b?x=1', 60 * minute + 1), 'view')
    expect(memory.session).toMatchObject({ isNew: false, landing: '/b?x=1', referrer: '' })
    expect(first).toMatchObject({ isNew: true, landing: '/', referrer: 'https://search.example/' })
  })

  test('a visitor keeps the id for a year from the first visit, also with many visits', () => {
    const memory = recogniseVisitor(null, page('/'))
    for (let day = 30; day < 365; day += 30)
      expect(recogniseVisitor(memory, page('/', day * 1440 * minute))).toBe(memory)
    expect(recogniseVisitor(memory, page('/', visitorLife)).visitor).not.toBe(memory.visitor)
  })

  test('a visitor known only by the cookie is not new', () => {
    const memory: VisitorMemory = { visitor: newId(), born: 0, tests: {} }
    act(memory, page('/', 24 * 60 * minute), 'view')
    expect(memory.session!.isNew).toBe(false)
  })
})

test.describe('entry', () => {
  test('a visitor enters a test only on its pages, and is exposed once', () => {
    const memory = visitorIn(mug.id, 1)
    expect(visit({ tests: [mug] }, memory, page('/')).events.map(e => e.kind)).toEqual(['view'])
    expect(memory.tests).toEqual({})
    const met = visit({ tests: [mug] }, memory, page('/products/ash-mug'))
    expect(met.events.map(e => [e.kind, e.tests])).toEqual([
      ['exposure', [mug.id]],
      ['view', undefined],
    ])
    expect(met.shown).toEqual([mug])
    expect(met.tested).toEqual([mug.id])
    const again = visit({ tests: [mug] }, memory, page('/products/bowl'))
    expect(again.events.map(e => e.kind)).toEqual(['view'])
    expect(again.shown).toHaveLength(1)
  })

  test('the visitor keeps the first arm', () => {
    const memory = visitorIn(mug.id, 1)
    visit({ tests: [mug] }, memory, page('/products/a'))
    expect(
      visit({ tests: [{ ...mug, weights: [1, 0] }] }, memory, page('/products/a')).shown,
    ).toHaveLength(1)
  })

  test('control has nothing to apply; the variant is applied when its change is on the page', () => {
    const [control, variant] = [visitorIn(mug.id, 0), visitorIn(mug.id, 1)]
    expect(visit({ tests: [mug] }, control, page('/products/a')).shown).toEqual([])
    visit({ tests: [mug] }, variant, page('/products/a'))
    expect(control.tests[mug.id]).toEqual([0, stage.assigned | stage.applied | stage.exposed])
    expect(variant.tests[mug.id]).toEqual([1, stage.assigned | stage.exposed])
  })

  test('an address in other case or encoding is the same page', () => {
    const other = { ...mug, pages: ['/pages/über-uns'] }
    expect(
      visit({ tests: [other] }, visitorIn(mug.id, 1), page('/pages/%C3%BCber-uns')).tested,
    ).toEqual([mug.id])
  })
})

test.describe('redirect', () => {
  test('a visitor of the variant is redirected, exposed before leaving, and keeps the referrer on arrival', () => {
    const memory = visitorIn(guide.id, 1)
    const left = visit(
      { tests: [guide] },
      memory,
      page('/pages/guide?utm_source=mail#top', 0, 'https://mail.example/'),
    )
    expect(left.redirect).toBe('https://pots.example/pages/guide-2026?utm_source=mail#top')
    expect(left.events.map(e => [e.kind, e.path])).toEqual([
      ['exposure', '/pages/guide?utm_source=mail'],
    ])
    const arrived = visit(
      { tests: [guide] },
      memory,
      page('/pages/guide-2026?utm_source=mail', 900, 'https://pots.example/pages/guide'),
    )
    expect(arrived).toMatchObject({ referrer: 'https://mail.example/', tested: [guide.id] })
    expect(arrived.events.map(e => e.kind)).toEqual(['view'])
    expect(memory.session).toMatchObject({
      landing: '/pages/guide?utm_source=mail',
      referrer: 'https://mail.example/',
    })
    expect(memory.tests[guide.id]).toEqual([1, 7])
    expect(visit({ tests: [guide] }, memory, page('/pages/guide', 5000)).redirect).toBeDefined()
  })

  test('a visitor who opens the variant’s URL directly is not counted, whether in control or new', () => {
    const control = visitorIn(guide.id, 0)
    visit({ tests: [guide] }, control, page('/pages/guide'))
    expect(visit({ tests: [guide] }, control, page('/pages/guide-2026'))).toMatchObject({
      tested: [],
      shown: [],
    })
    const stranger = visitorIn(guide.id, 1)
    expect(
      visit({ tests: [guide] }, stranger, page('/pages/guide-2026')).events.map(e => e.kind),
    ).toEqual(['view'])
    expect(stranger.tests).toEqual({})
  })

  test('no endless redirects: a target within the tested pages, two tests that point at each other, a shop that redirects back', () => {
    const wide = { ...guide, pages: ['/pages/guide*'] }
    const memory = visitorIn(guide.id, 1)
    expect(visit({ tests: [wide] }, memory, page('/pages/guide-2026')).redirect).toBeUndefined()
    const back = {
      ...guide,
      id: guide.id.replace('guide', 'back_'),
      pages: ['/pages/guide-2026'],
      to: '/pages/guide',
      weights: [0, 1] as [number, number],
    }
    expect(visit({ tests: [wide, back] }, memory, page('/pages/guide', 10)).redirect).toBeDefined()
    expect(
      visit({ tests: [wide, back] }, memory, page('/pages/guide-2026', 20)).redirect,
    ).toBeUndefined()
    // Also in the other order of the two tests.
    const other = visitorIn(guide.id, 1)
    expect(
      visit({ tests: [back, guide] }, other, page('/pages/guide', 10, 'https://mail.example/')),
    ).toMatchObject({ redirect: 'https://pots.example/pages/guide-2026' })
    const arrived = visit({ tests: [back, guide] }, other, page('/pages/guide-2026', 20))
    expect(arrived).toMatchObject({ referrer: 'https://mail.example/', tested: [guide.id] })
    expect(arrived.redirect).toBeUndefined()
    const bounced = visitorIn(guide.id, 1)
    expect(visit({ tests: [guide] }, bounced, page('/pages/guide', 10)).redirect).toBeDefined()
    expect(visit({ tests: [guide] }, bounced, page('/pages/guide', 20)).redirect).toBeUndefined()
  })

  test('the target is recognised in any spelling of its address', () => {
    const written = (to: string, arrival: string) => {
      const memory = visitorIn(guide.id, 1)
      expect(
        visit(
          { tests: [{ ...guide, to }] },
          memory,
          page('/pages/guide', 10, 'https://mail.example/'),
        ).redirect,
      ).toBeDefined()
      const arrived = visit({ tests: [{ ...guide, to }] }, memory, page(arrival, 20))
      return [arrived.referrer, memory.way && 'under way', arrived.tested]
    }
    const taken = ['https://mail.example/', undefined, [guide.id]]
    for (const [to, arrival] of [
      ['/pages/new/', '/pages/new?x=1'],
      ['/pages/New', '/pages/new'],
      ['/pages/new', '/Pages/new/'],
      ['/pages/über', '/pages/%c3%bcber/'],
      ['/', '/?x=1'],
    ] as const)
      expect(written(to, arrival), to).toEqual(taken)
    expect(written('/pages/new', '/pages/newer')).toEqual([undefined, 'under way', []])
  })

  test('without any storage there is no redirect test', () => {
    const memory = visitorIn(guide.id, 1)
    expect(
      visit({ tests: [guide] }, memory, { ...page('/pages/guide'), canRedirect: () => false })
        .redirect,
    ).toBeUndefined()
    expect(memory.tests).toEqual({})
  })

  test('an alternate view of the same page can be the variant', () => {
    const view = { ...guide, pages: ['/products/mug'], to: '/products/mug?view=long' }
    const memory = visitorIn(guide.id, 1)
    expect(visit({ tests: [view] }, memory, page('/products/mug?size=2')).redirect).toBe(
      'https://pots.example/products/mug?view=long&size=2',
    )
    expect(
      visit({ tests: [view] }, memory, page('/products/mug?view=long&size=2', 50)).tested,
    ).toEqual([guide.id])
    // The visitor's own `view` parameter would win, so the variant cannot be reached. Visitors of
    // neither arm are in the test here.
    const stuck = visit({ tests: [view] }, visitorIn(guide.id, 1), page('/products/mug?view=short'))
    expect(stuck).toMatchObject({ tested: [] })
    expect(stuck.redirect).toBeUndefined()
  })

  test('nobody is redirected to another host, in any spelling of the target', () => {
    const { cases } = JSON.parse(readFileSync('test/cases/url-confusions.json', 'utf8')) as {
      cases: { text: string; path: string | null }[]
    }
    for (const { text, path } of cases.filter(({ text }) =>
      URL.canParse(text, 'https://pots.example'),
    )) {
      // The text itself, and the path that remains after resolving it once.
      for (const to of [text, new URL(text, 'https://pots.example').pathname]) {
        const { redirect } = visit(
          { tests: [{ ...guide, to }] },
          visitorIn(guide.id, 1),
          page('/pages/guide?a=//evil.test'),
        )
        if (redirect) expect(new URL(redirect).origin, to).toBe('https://pots.example')
        const place = placeToBe(
          { ...guide, to },
          1,
          new URL('https://pots.example/pages/guide'),
          {},
        )
        expect(place?.origin ?? 'https://pots.example', to).toBe('https://pots.example')
      }
      if (path?.startsWith('/pages/'))
        expect(
          visit({ tests: [{ ...guide, to: path }] }, visitorIn(guide.id, 1), page('/pages/guide'))
            .redirect,
        ).toBe(`https://pots.example${path}`)
    }
  })

  test('only http and https addresses are redirect targets', () => {
    for (const to of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'https://'])
      expect(targetOf(to, new URL('https://pots.example/'))).toBeNull()
  })

  test('for any two queries, merging keeps all of the visitor’s and gives a stable address', () => {
    const query = fc
      .array(
        fc.tuple(
          fc.constantFrom('a', 'b', 'view', 'utm_source'),
          fc.constantFrom('1', '2', 'x y', 'ü&='),
        ),
        { maxLength: 4 },
      )
      .map(pairs => new URLSearchParams(pairs).toString())
    fc.assert(
      fc.property(query, query, (theirs, ours) => {
        const from = new URL(`https://pots.example/pages/guide?${theirs}#part`)
        const target = targetOf(`/pages/other?${ours}`, from)!
        takeAlong(target, from)
        for (const name of from.searchParams.keys())
          expect(target.searchParams.getAll(name)).toEqual(from.searchParams.getAll(name))
        for (const [name, value] of new URL(`/x?${ours}`, from).searchParams)
          if (!from.searchParams.has(name))
            expect(target.searchParams.getAll(name)).toContain(value)
        expect(target.hash).toBe('#part')
        expect(isAt(target, target)).toBe(true)
      }),
    )
  })
})

test('for any visits, beacons fit the collector’s limits and have each event once, by session', () => {
  const step = fc.record({
    path: fc.webPath().map(path => path || '/'),
    wait: fc.integer({ min: 0, max: 45 * minute }),
    kind: fc.constantFrom('view', 'cart', 'click', 'page' as const),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 70 }), steps => {
      const tests = [
        mug,
        { ...guide, pages: ['/a*'], to: '/b' },
        { ...mug, id: 'test-all-1', pages: ['*'] },
      ]
      const memory = recogniseVisitor(null, page('/'))
      let now = 0
      const events = steps.flatMap(({ path, wait, kind }) => {
        const here = page(path, (now += wait), `https://elsewhere.example${path}`)
        const made =
          kind === 'page'
            ? visit({ tests }, memory, here).events
            : [act(memory, here, kind as 'view')]
        return made.map(event => ({ ...memory.session!, event }))
      })
      // No test runs any more. Events that still wait keep their test and arm.
      const beacons = buildBeacons({ shop: 'pots.example' }, memory, events, now)
      for (const beacon of beacons) {
        for (const { tests: named } of beacon.events)
          for (const id of named ?? []) expect(beacon.tests[id]).toEqual(memory.tests[id])
        expect(Check(BeaconInput, beacon)).toBe(true)
        expect(JSON.stringify(beacon).length).toBeLessThan(beaconLimits.bytes)
      }
      expect(beacons.flatMap(beacon => beacon.events.map(event => event.id)).sort()).toEqual(
        events.map(({ event }) => event.id).sort(),
      )
      const sessionOf = new Map(events.map(({ event, session }) => [event.id, session]))
      for (const beacon of beacons)
        for (const { id } of beacon.events) expect(sessionOf.get(id)).toBe(beacon.session)
    }),
  )
})
