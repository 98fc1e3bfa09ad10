import { expect, test } from '@playwright/test'
import { assign } from '../../domain/tests/assignment.ts'
import { stage } from '../../domain/events/event.ts'
import { reservedTest } from '../../domain/tests/exclusion-choice.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { partsFor } from '../../domain/script/needed-parts.ts'
import { goesElsewhere } from '../../engine/script/compose.ts'
import { allRules } from '../../storefront/all-rules.ts'
import { visitPage, type Page, type TagFacts, type VisitorMemory } from '../../storefront/core.ts'

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile'
const rules = allRules(() => phone, 'pots.example')
let count = 0
const newId = () => `id-${String(count++).padStart(8, '0')}`
const page = (path: string, facts: TagFacts = {}, now = 0, referrer = ''): Page => ({
  url: `https://pots.example${path}`,
  referrer,
  now,
  newId,
  facts,
  canRedirect: () => true,
})
const visit = (tests: ScriptTest[], memory: VisitorMemory, at: Page, ignoresView?: true) =>
  visitPage({ tests, ...(ignoresView && { ignoresView }) }, memory, at, rules)
const visitorIn = (test: ScriptTest, arm: 0 | 1): VisitorMemory => {
  let visitor = newId()
  while (assign(test.id, visitor, test.weights) !== arm) visitor = newId()
  return { visitor, born: 0, tests: {} }
}
const half: [number, number] = [0.5, 0.5]
const story: ScriptTest = {
  id: 'test-story',
  weights: half,
  pages: [],
  view: ['product', 'product.story'],
}
const about: ScriptTest = {
  id: 'test-about',
  weights: half,
  pages: [],
  view: ['page', 'page.ts-about'],
  only: ['51'],
}
const theme: ScriptTest = { id: 'test-theme', weights: half, pages: [], theme: ['kiln', 'harbour'] }
const price: ScriptTest = {
  id: 'test-price',
  weights: half,
  pages: ['*'],
  prices: { mug: [['1', 3400, 2900]] },
}
const button: ScriptTest = {
  id: 'test-button',
  weights: half,
  pages: ['/products/*'],
  changes: [{ selector: 'h1', kind: 'text', name: '', value: 'New' }],
}

test.describe('templates', () => {
  test('the variant is the same page with its own template; a visitor on it is not redirected again', () => {
    const memory = visitorIn(story, 1)
    const sent = visit([story], memory, page('/products/mug?size=2#top', { template: 'product' }))
    expect(sent.redirect).toBe('https://pots.example/products/mug?size=2&view=story#top')
    expect(sent.events.map(({ kind }) => kind)).toEqual(['exposure'])
    const there = visit(
      [story],
      memory,
      page('/products/mug?size=2&view=story', { template: 'product.story' }, 50),
    )
    expect(there).toMatchObject({ tested: [story.id], referrer: '' })
    expect(there.redirect).toBeUndefined()
    expect(memory.tests[story.id]).toEqual([1, stage.assigned | stage.applied | stage.exposed])
  })

  test('control stays on the page, and other templates are no exposure', () => {
    const memory = visitorIn(story, 0)
    expect(visit([story], memory, page('/products/mug', { template: 'product' }))).toMatchObject({
      tested: [story.id],
    })
    const other = visitorIn(story, 1)
    expect(
      visit([story], other, page('/products/bowl', { template: 'product.long' })).events.map(
        ({ kind }) => kind,
      ),
    ).toEqual(['view'])
    // The merchant assigned the variant's template to this page, so it is not the control of any
    // visitor.
    expect(
      visit([story], other, page('/products/pot', { template: 'product.story' })).tested,
    ).toEqual([])
  })

  test('a shared link to the variant shows each visitor the own arm, unless a flag keeps them there', () => {
    const link = page('/products/mug?view=story', { template: 'product.story' })
    const control = visitorIn(story, 0)
    expect(visit([story], control, link).redirect).toBe('https://pots.example/products/mug')
    expect(control.tests[story.id]![0]).toBe(0)
    expect(visit([story], visitorIn(story, 1), link)).toMatchObject({ tested: [story.id] })
    const left = visitorIn(story, 0)
    expect(visit([story], left, link, true)).toMatchObject({ tested: [] })
    expect(left.tests).toEqual({})
  })

  test('a deleted template is requested once, and the page stays', () => {
    const memory = visitorIn(story, 1)
    visit([story], memory, page('/products/mug', { template: 'product' }))
    expect(
      visit([story], memory, page('/products/mug?view=story', { template: 'product' }, 50))
        .redirect,
    ).toBeUndefined()
    expect(
      visit([story], memory, page('/products/mug?view=story', { template: 'product' }, 60_000))
        .redirect,
    ).toBeUndefined()
  })

  test('a page content test is only on its page', () => {
    const memory = visitorIn(about, 1)
    expect(
      visit([about], memory, page('/pages/shipping', { template: 'page', resource: '52' }))
        .redirect,
    ).toBeUndefined()
    expect(
      visit([about], memory, page('/pages/about', { template: 'page', resource: '51' })).redirect,
    ).toBe('https://pots.example/pages/about?view=ts-about')
  })
})

test.describe('themes', () => {
  test('the platform keeps the theme from the first page on; other pages need no redirect', () => {
    const memory = visitorIn(theme, 1)
    expect(visit([theme], memory, page('/', { theme: 'kiln' })).redirect).toBe(
      'https://pots.example/?preview_theme_id=harbour',
    )
    expect(
      visit([theme], memory, page('/?preview_theme_id=harbour', { theme: 'harbour' }, 50)).tested,
    ).toEqual([theme.id])
    const next = visit([theme], memory, page('/products/mug', { theme: 'harbour' }, 90))
    expect(next).toMatchObject({ tested: [theme.id] })
    expect(next.redirect).toBeUndefined()
  })

  test('after the test the live theme comes back once, and a merchant’s own preview stays', () => {
    const over: ScriptTest = { ...theme, theme: ['', 'harbour'] }
    const memory = { ...visitorIn(theme, 1), theme: 'harbour' }
    expect(visit([over], memory, page('/', { theme: 'harbour' })).redirect).toBe(
      'https://pots.example/?preview_theme_id=',
    )
    expect(
      visit([over], memory, page('/?preview_theme_id=', { theme: 'harbour' }, 50)).redirect,
    ).toBeUndefined()
    expect(
      visit([over], visitorIn(theme, 1), page('/', { theme: 'harbour' })).redirect,
    ).toBeUndefined()
    expect(memory.tests).toEqual({})
  })
})

test('after a template test its visitors leave the variant’s address; other visitors, and with the flag all, stay there', () => {
  const over: ScriptTest = { ...story, view: ['', 'product.story'] },
    there = page('/products/mug?view=story&size=2#top', { template: 'product.story' }, 60_000)
  const memory = visitorIn(story, 1)
  visit([story], memory, page('/products/mug', { template: 'product' }))
  expect(visit([over], memory, there)).toMatchObject({
    redirect: 'https://pots.example/products/mug?size=2#top',
    events: [],
  })
  expect(
    visit([over], memory, page('/products/mug?size=2', { template: 'product' }, 60_050)),
  ).toMatchObject({ tested: [] })
  // The merchant assigned the template to this page.
  expect(
    visit([over], memory, page('/products/pot', { template: 'product.story' }, 90_000)).redirect,
  ).toBeUndefined()
  expect(visit([over], memory, { ...there, now: 200_000 }, true).redirect).toBeUndefined()
  expect(visit([over], visitorIn(story, 1), there).redirect).toBeUndefined()
})

test.describe('layers and audiences', () => {
  const layer: ScriptTest[] = [
    { ...theme, layer: 0 },
    { ...button, layer: 0 },
  ]

  test('a visitor is in one test of a layer, the same on every page, and engine and script choose the same', () => {
    const shares: Record<string, number> = {}
    for (let i = 0; i < 400; i++) {
      const memory: VisitorMemory = { visitor: newId(), born: 0, tests: {} }
      visit(layer, memory, page('/', { theme: 'kiln' }))
      visit(layer, memory, page('/products/mug', { theme: memory.theme ?? 'kiln' }, 60_000))
      const [held, ...more] = Object.keys(memory.tests)
      expect(more).toEqual([])
      expect(held).toBe(
        reservedTest(
          layer.map(({ id }) => id),
          memory.visitor,
        ),
      )
      shares[held!] = (shares[held!] ?? 0) + 1
    }
    for (const share of Object.values(shares)) expect(Math.abs(share - 200)).toBeLessThan(50)
  })

  test('a visitor stays in a test when another test joins the layer', () => {
    const memory: VisitorMemory = { visitor: newId(), born: 0, tests: {} }
    visit([button], memory, page('/products/mug', { theme: 'kiln' }))
    visit(layer, memory, page('/products/mug', { theme: 'kiln' }, 10))
    expect(Object.keys(memory.tests)).toEqual([button.id])
  })

  test('a visitor in two compatible tests keeps both when a third disturbs both, and enters no new test', () => {
    const apart: ScriptTest = { ...button, id: 'test-apart', pages: ['/cart'] }
    const joined: ScriptTest[] = [
      { ...theme, layer: 0, rivals: [button.id, price.id, apart.id] },
      ...[button, price, apart].map(test => ({ ...test, layer: 0, rivals: [theme.id] })),
    ]
    const memory: VisitorMemory = { visitor: visitorIn(price, 1).visitor, born: 0, tests: {} }
    visit([button, price], memory, page('/products/mug', { theme: 'kiln' }))
    const met = visit(joined, memory, page('/products/mug', { theme: 'kiln' }, 10))
    expect(met.tested).toEqual([button.id, price.id])
    expect(met.shown.map(({ id }) => id)).toContain(price.id)
    visit(joined, memory, page('/cart', { theme: 'kiln' }, 20))
    expect(Object.keys(memory.tests)).toEqual([button.id, price.id])
    const first: VisitorMemory = { ...memory, tests: { [theme.id]: [0, 7], [price.id]: [1, 7] } }
    expect(visit(joined, first, page('/products/mug', { theme: 'kiln' }, 30)).shown).toEqual([])
  })

  test('only visitors in the audience enter a test, and they stay in it; others are free for the layer’s other tests', () => {
    const mail: ScriptTest = {
      ...button,
      audiences: [
        {
          1: { operator: 'Equals', value: 'Newsletter' },
          7: { operator: 'DoesNotEqual', value: 'FR' },
        },
      ],
    }
    const outside: VisitorMemory = { visitor: newId(), born: 0, tests: {} }
    expect(visit([mail], outside, page('/products/mug', { country: 'US' })).tested).toEqual([])
    const inside: VisitorMemory = { visitor: newId(), born: 0, tests: {} }
    expect(
      visit([mail], inside, page('/products/mug?utm_source=newsletter', { country: 'US' })).tested,
    ).toEqual([mail.id])
    expect(
      visit([mail], inside, page('/products/mug', { country: 'FR' }, 86_400_000)).tested,
    ).toEqual([mail.id])
    const pair = [
      { ...mail, layer: 0 },
      { ...button, id: 'test-other', layer: 0 },
    ]
    for (let i = 0; i < 20; i++) {
      const memory: VisitorMemory = { visitor: newId(), born: 0, tests: {} }
      visit(pair, memory, page('/products/mug', { country: 'US' }))
      expect(Object.keys(memory.tests)).toEqual(['test-other'])
    }
  })

  test('built-in audiences and the channel work', () => {
    const takes = (
      audience: number | object,
      at: Page,
      memory: VisitorMemory = { visitor: newId(), born: 0, tests: {} },
    ) => visit([{ ...button, audiences: [audience as number] }], memory, at).tested.length === 1
    expect(takes(1, page('/products/mug'))).toBe(true)
    expect(takes(2, page('/products/mug'))).toBe(true)
    expect(
      takes(3, page('/products/mug', {}, 86_400_000), {
        visitor: newId(),
        born: 0,
        last: 0,
        session: { session: 's', isNew: true, landing: '/', referrer: '' },
        tests: {},
      }),
    ).toBe(true)
    expect(takes(4, page('/products/mug'))).toBe(true)
    expect(takes(5, page('/products/mug'))).toBe(false)
    expect(
      takes(
        { 0: { operator: 'Equals', value: 'Organic search' } },
        page('/products/mug', {}, 0, 'https://www.google.com/'),
      ),
    ).toBe(true)
    expect(
      takes({ 0: { operator: 'Equals', value: 'Organic search' } }, page('/products/mug')),
    ).toBe(false)
  })
})

test('price tests and automatic API tests are entered on the first page, manual ones when code asks for the arm', () => {
  const api: ScriptTest = { id: 'test-api', weights: half, pages: ['*'], api: ['c', 'v'] }
  const memory = visitorIn(price, 1)
  const met = visit(
    [price, api, { ...api, id: 'test-manual', isManual: true }],
    memory,
    page('/pages/about'),
  )
  expect(met.events.map(({ kind, tests }) => [kind, tests?.[0]])).toEqual([
    ['exposure', price.id],
    ['exposure', api.id],
    ['view', undefined],
  ])
  expect(met.shown).toContainEqual(price)
  expect(memory.tests[price.id]![1]).toBe(stage.assigned | stage.applied | stage.exposed)
})

test('a script carries the parts that its tests need', () => {
  expect([...partsFor({ tests: [] })]).toEqual([])
  expect([...partsFor({ tests: [button] })]).toEqual(['elements', 'speed'])
  expect([...partsFor({ tests: [button, price] })]).toEqual(['elements', 'prices', 'speed'])
  expect([...partsFor({ tests: [story, { ...theme, theme: ['', 'harbour'] }] })]).toEqual([
    'view',
    'restore',
    'leave',
    'speed',
  ])
  expect([...partsFor({ tests: [{ ...story, view: ['', 'product.story'] }] })]).toEqual([
    'restore',
    'speed',
  ])
  expect([
    ...partsFor({
      tests: [{ ...button, layer: 0, audiences: [{ 0: { operator: 'Equals', value: 'Email' } }] }],
    }),
  ]).toEqual(['elements', 'entry', 'audience', 'channel', 'speed'])
  expect([story, about, theme, price, button].map(goesElsewhere)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})
