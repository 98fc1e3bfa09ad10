import type { DomSelector } from '../../domain/dom-selector.ts'
import type { DraftCreate } from '../../domain/draft.ts'

/** A test of the demo data: the draft a merchant would write, when it ran, and what is true of its variant. */
export type DemoTest = {
  draft: DraftCreate
  domSelectors: Pick<DomSelector, 'actions' | 'urlPatterns'>[]
  startedDaysAgo: number
  /** Null while it runs. */
  endedDaysAgo: number | null
  /** True relative change of the chance to buy. */
  lift: number
}

export const demoTests: DemoTest[] = [
  {
    draft: {
      kind: 'PageElement',
      title: 'Reviews above the fold',
      goal: 'ConversionRate',
      weights: [0.5, 0.5],
      minimumEffect: 0.2,
      hypothesisDescription: 'Shoppers who read what another customer says before they reach the button are surer of what they buy, so more of them order.',
      controlTitle: 'Stars only',
      variantTitle: 'A customer’s words',
    },
    domSelectors: [
      {
        urlPatterns: ['/products/*'],
        actions: [
          { selector: '.product__price', kind: 'insertAfter', name: '', value: '<p class="product__quote">“The one I reach for every morning.” Ines, Portland</p>' },
          { selector: '.product__reviews', kind: 'style', name: 'font-weight', value: '600' },
        ],
      },
    ],
    startedDaysAgo: 31,
    endedDaysAgo: 14,
    lift: 0.45,
  },
  {
    draft: {
      kind: 'PageElement',
      title: 'Delivery promise by the button',
      goal: 'AddToCartRate',
      weights: [0.5, 0.5],
      minimumEffect: 0.25,
      hypothesisDescription: 'The day a parcel leaves is what shoppers ask us most. Said on the button itself, it should bring more of them to add to the cart.',
      controlTitle: 'Add to cart',
      variantTitle: 'Ships today',
    },
    domSelectors: [
      {
        urlPatterns: ['/products/*'],
        actions: [
          { selector: '.product-form__submit', kind: 'text', name: '', value: 'Add to cart · ships today' },
          { selector: '.product-form__note', kind: 'style', name: 'font-weight', value: '600' },
        ],
      },
    ],
    startedDaysAgo: 12,
    endedDaysAgo: null,
    lift: 0.2,
  },
  {
    draft: {
      kind: 'UrlRedirect',
      title: 'Gift guide 2026',
      goal: 'ClickThroughRate',
      weights: [0.5, 0.5],
      minimumEffect: 0.3,
      hypothesisDescription: 'A guide with pictures, prices and a button each should send more readers on to a product than the old list of links.',
      controlTitle: 'List of links',
      variantTitle: 'Illustrated guide',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/gift-guide-2026',
    },
    domSelectors: [],
    startedDaysAgo: 9,
    endedDaysAgo: null,
    lift: 0.25,
  },
]

/**
 * A stretch of the demo data's past. With the clock at `from`: launch and end what is named, then let the shoppers
 * come. When every order has been delivered, move the clock to `to` and sum up, so that a verdict is taken on all that
 * happened until then.
 */
export type DemoPhase = { from: Date; to: Date; launch: DemoTest[]; end: DemoTest[]; visitors: number }

const day = 86_400_000
const visitorsPerDay = 210
/** Days ago at which figures are summed up besides: the first test's planned end (two weeks on a shop without a past), and now and then. */
const looks = [28, 25, 22, 19, 17, 6, 3]

/** The past up to `now`, cut where a test begins or ends and where figures are looked at. */
export function demoPhases(now: Date): DemoPhase[] {
  const at = (daysAgo: number) => new Date(now.getTime() - daysAgo * day)
  const cuts = [...new Set([...looks, ...demoTests.flatMap(test => [test.startedDaysAgo, test.endedDaysAgo ?? 0])])].sort((a, b) => b - a)
  return cuts.slice(0, -1).map((daysAgo, i) => ({
    from: at(daysAgo),
    to: at(cuts[i + 1]!),
    visitors: Math.round((daysAgo - cuts[i + 1]!) * visitorsPerDay),
    launch: demoTests.filter(test => test.startedDaysAgo === daysAgo),
    end: demoTests.filter(test => test.endedDaysAgo === daysAgo),
  }))
}
