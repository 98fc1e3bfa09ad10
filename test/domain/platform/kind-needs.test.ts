import t from 'tap'
import {
  billingWays,
  type Capabilities,
  copyWays,
  poorest,
  priceWays,
  redirectWays,
  richest,
  scriptWays,
} from '../../../domain/platform/capabilities.ts'
import {
  kindLack,
  kindNeeds,
  lackOf,
  lackWords,
  needNames,
  redirectLack,
  winnerLack,
} from '../../../domain/platform/kind-needs.ts'
import { ordersFrom, orderWindowWords } from '../../../domain/platform/order-window.ts'
import { canCharge, cannotCharge } from '../../../domain/platform/price-way.ts'
import { type TestKind, testKindNames } from '../../../domain/tests/test-kind.ts'

/** Every value that each capability can have. */
const values: { [Name in keyof Capabilities]: readonly Capabilities[Name][] } = {
  themeWrites: [true, false],
  priceWay: priceWays,
  redirects: redirectWays,
  orderDays: [null, 60],
  expressAttributes: [true, false],
  scriptWay: scriptWays,
  copies: copyWays,
  nativeExperiments: [true, false],
  unsignedReads: [null, 30],
  billing: billingWays,
  wholeWrites: [true, false],
}
const impossible = (store: Capabilities): TestKind[] =>
  testKindNames.filter(kind => kindLack(kind, store))

t.test('every kind with every value of every capability, in a rich store and a poor one', t => {
  // Only what is named here is impossible. All other values leave every kind possible.
  const expected: Record<string, TestKind[]> = {
    'priceWay none': ['Price'],
    'copies ours, no theme writes': ['PageContent'],
  }
  for (const base of [richest, { ...poorest, priceWay: 'discount' as const }])
    for (const [name, each] of Object.entries(values))
      for (const value of each) {
        const store = { ...base, [name]: value } as Capabilities
        t.same(
          impossible(store).sort(),
          [
            ...(store.priceWay === 'none' ? expected['priceWay none']! : []),
            ...(store.copies === 'ours' && !store.themeWrites
              ? expected['copies ours, no theme writes']!
              : []),
          ].sort(),
          `${name} ${value}`,
        )
      }
  t.same(impossible(richest), [])
  t.same(impossible(poorest), ['Price'], 'the merchant makes the copies there')
  t.same(Object.keys(kindNeeds), testKindNames)
  t.end()
})

t.test('a winner that cannot be made permanent from here, by kind', t => {
  const lacks = (store: Capabilities, of: Parameters<typeof winnerLack>[2] = {}) =>
    testKindNames.filter(kind => winnerLack(kind, store, of))
  t.same(lacks(richest), [])
  t.same(lacks(richest, { hasOwnFile: true }), [])
  // Our script makes a redirect permanent where the shop does not.
  t.same(lacks(poorest), ['Theme'])
  t.same(lacks(poorest, { hasOwnFile: true }), ['Theme', 'Template', 'PageContent'])
  t.same(lacks({ ...richest, themeWrites: false }), ['Theme'])
  const noNewFiles = { ...richest, copies: 'merchant' as const }
  t.same(lacks(noNewFiles), [])
  t.same(lacks(noNewFiles, { hasOwnFile: true }), ['Template', 'PageContent'])
  for (const [redirects, there, gone] of [
    ['always', false, false],
    ['missingPages', true, false],
    ['none', true, true],
  ] as const) {
    const store = { ...richest, redirects }
    t.equal(redirectLack(store, true) !== null, there, `${redirects}, the page exists`)
    t.equal(redirectLack(store, false) !== null, gone, `${redirects}, the page is gone`)
  }
  t.end()
})

t.test('every need is met by a rich store, and says a reason and a remedy to others', t => {
  for (const name of needNames) {
    t.equal(lackOf(name, richest), null, name)
    const lack =
      lackOf(name, poorest) ?? lackOf(name, { ...poorest, copies: 'ours', redirects: 'none' })
    t.ok(lack, name)
    t.match(lackWords(lack!), /^[A-Z].+\. .+\.$/, name)
    t.notMatch(lackWords(lack!), /shopify|demo/i)
  }
  t.end()
})

t.test('a remedy names what it is about, where that is known', t => {
  const remedy = (...of: Parameters<typeof lackOf>) => lackOf(...of)!.remedy
  t.match(remedy('publishThemes', poorest), 'Publish the arm’s theme yourself')
  t.match(remedy('publishThemes', poorest, 'Harbour'), 'Publish the theme Harbour in')
  t.match(remedy('replaceTemplate', poorest, 'cart.b', 'cart'), 'template cart.b into cart,')
  t.match(remedy('restoreTemplate', poorest, 'cart.b'), 'Make the template cart.b again')
  t.equal(remedy('themeFiles', poorest, 'cart.b'), remedy('themeFiles', poorest))
  t.equal(lackOf('publishThemes', richest, 'Harbour'), null)
  t.end()
})

t.test('which prices a shop can charge', t => {
  const charged = (way: Capabilities['priceWay']) =>
    [900, 1000, 1100].filter(price => canCharge(way, price, 1000))
  t.same(charged('transform'), [900, 1000, 1100])
  t.same(charged('discount'), [900, 1000])
  t.same(charged('none'), [1000])
  t.match(cannotCharge('discount', 'Mug', '$10.00'), 'Mug can cost at most $10.00')
  t.match(cannotCharge('none', 'Mug', '$10.00'), 'Mug keeps its price of $10.00')
  t.end()
})

t.test('a period that began before the orders we can read says so', t => {
  const now = new Date('2026-11-24T12:00:00Z'),
    ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
  t.equal(ordersFrom(richest, now), null)
  t.same(ordersFrom(poorest, now), ago(60))
  t.equal(orderWindowWords(richest, ago(900), now), null)
  t.equal(orderWindowWords(poorest, ago(60), now), null)
  t.match(orderWindowWords(poorest, ago(61), now), 'the orders of the last 60 days')
  t.end()
})
