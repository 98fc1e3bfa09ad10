import { day } from '../../domain/time-units.ts'
import type { DemoTest } from './demo-test-drafts.ts'

export const reviewsTest: DemoTest = {
  draft: {
    kind: 'PageElement',
    title: 'Reviews above the fold',
    goal: 'ConversionRate',
    weights: [0.5, 0.5],
    minimumEffect: 0.2,
    hypothesisDescription:
      'Shoppers who read what another customer says before they reach the button are surer of what they buy, so more of them order.',
    controlTitle: 'Stars only',
    variantTitle: 'A customer’s words',
  },
  domSelectors: [
    {
      urlPatterns: ['/products/*'],
      actions: [
        {
          selector: '.product__price',
          kind: 'insertAfter',
          name: '',
          value:
            '<p class="product__quote">“The one I reach for every morning.” Ines, Portland</p>',
        },
        { selector: '.product__reviews', kind: 'style', name: 'font-weight', value: '600' },
      ],
    },
  ],
  startedDaysAgo: 31,
  endedDaysAgo: 14,
  lift: 0.55,
}

export const buttonTest: DemoTest = {
  draft: {
    kind: 'PageElement',
    title: 'Delivery promise by the button',
    goal: 'AddToCartRate',
    weights: [0.5, 0.5],
    minimumEffect: 0.25,
    hypothesisDescription:
      'The day a parcel leaves is what shoppers ask us most. Said on the button itself, it should bring more of them to add to the cart.',
    controlTitle: 'Add to cart',
    variantTitle: 'Ships today',
  },
  domSelectors: [
    {
      urlPatterns: ['/products/*'],
      actions: [
        {
          selector: '.product-form__submit',
          kind: 'text',
          name: '',
          value: 'Add to cart · ships today',
        },
        { selector: '.product-form__note', kind: 'style', name: 'font-weight', value: '600' },
      ],
    },
  ],
  startedDaysAgo: 12,
  endedDaysAgo: null,
  lift: 0.2,
}

export const guideTest: DemoTest = {
  draft: {
    kind: 'UrlRedirect',
    title: 'Gift guide 2026',
    goal: 'ClickThroughRate',
    weights: [0.5, 0.5],
    minimumEffect: 0.3,
    hypothesisDescription:
      'A guide with pictures, prices and a button each should send more readers on to a product than the old list of links.',
    controlTitle: 'List of links',
    variantTitle: 'Illustrated guide',
    controlUrl: '/pages/gift-guide',
    redirectUrl: '/pages/gift-guide-2026',
  },
  domSelectors: [],
  startedDaysAgo: 9,
  endedDaysAgo: null,
  lift: 0.25,
}

/** Its variant's script breaks the page in some browsers, so that the check of the split fails. */
const quickViewTest: DemoTest = {
  draft: {
    kind: 'PageElement',
    title: 'Quick view in lists',
    goal: 'ConversionRate',
    weights: [0.5, 0.5],
    minimumEffect: 0.2,
    hypothesisDescription:
      'Shoppers who see sizes and prices without leaving the list should find what they want sooner, and order more.',
    controlTitle: 'Pictures and prices',
    variantTitle: 'With quick view',
  },
  domSelectors: [
    {
      urlPatterns: ['/collections/*'],
      actions: [
        {
          selector: 'h1',
          kind: 'insertAfter',
          name: '',
          value: '<p class="list__quick">Point at a picture for sizes and prices.</p>',
        },
      ],
    },
  ],
  startedDaysAgo: 26,
  endedDaysAgo: 17,
  lift: 0,
  loses: 0.45,
}

const priceTest: DemoTest = {
  draft: {
    kind: 'Price',
    title: 'Stoneware 6% more expensive',
    goal: 'RevenuePerSession',
    weights: [0.5, 0.5],
    minimumEffect: 0.3,
    hypothesisDescription:
      'Mugs and bowls are priced below other makers’. A little more should cost few orders and earn more on each.',
    controlTitle: 'Prices as they are',
    variantTitle: '6% more',
  },
  prices: {
    handles: ['ash-glaze-mug', 'iron-glaze-bowl', 'pasta-bowl', 'dinner-plate'],
    rule: { kind: 'percent', value: 6 },
  },
  startedDaysAgo: 19,
  endedDaysAgo: null,
  lift: -0.04,
}

/** The merchant deletes its template while it runs, so that the system puts it on hold. */
const pageTest: DemoTest = {
  draft: {
    kind: 'Template',
    title: 'The maker’s story on help pages',
    goal: 'ClickThroughRate',
    weights: [0.5, 0.5],
    minimumEffect: 0.3,
    hypothesisDescription:
      'People who read about shipping or ask a question are close to ordering. A link back to the pots should bring more of them there.',
    controlTitle: 'Words only',
    variantTitle: 'With the maker’s story',
  },
  template: {
    type: 'page',
    handles: ['about', 'shipping', 'faq'],
    section: {
      type: 'story',
      settings: {
        side: 'left',
        title: 'Made one at a time',
        text: 'Every pot is thrown by hand and fired with wood.',
        button: 'See what is in the shop',
        url: '/collections/all',
        picture: '/cdn/products/ash-glaze-mug-5.svg',
      },
    },
  },
  startedDaysAgo: 14,
  endedDaysAgo: null,
  lift: 0,
  templateDeletedDaysAgo: 3,
}

/** In the order in which they started. */
export const demoTests: DemoTest[] = [
  reviewsTest,
  quickViewTest,
  priceTest,
  pageTest,
  buttonTest,
  guideTest,
]

/**
 * A period of the demo data's past. Set the clock to `from`, launch, end and break the named tests,
 * then let the shoppers come. When every order has been delivered, set the clock to `to` and sum
 * up, so that a verdict covers everything until then.
 */
export type DemoPhase = {
  from: Date
  to: Date
  launch: DemoTest[]
  end: DemoTest[]
  deleteTemplate: DemoTest[]
  visitors: number
}

const visitorsPerDay = 145

/**
 * Further days, counted back from now, at which figures are summed up: the planned end of the first
 * test (two weeks on a shop without a past), and some in between.
 */
const looks = [28, 25, 22, 19, 17, 6, 3]

/** The past up to `now`, split where a test starts or ends and where figures are summed up. */
export function demoPhases(now: Date): DemoPhase[] {
  const at = (daysAgo: number) => new Date(now.getTime() - daysAgo * day)
  const cuts = [
    ...new Set([
      ...looks,
      ...demoTests.flatMap(test => [
        test.startedDaysAgo,
        test.endedDaysAgo ?? 0,
        test.templateDeletedDaysAgo ?? 0,
      ]),
    ]),
  ].sort((a, b) => b - a)
  return cuts.slice(0, -1).map((daysAgo, i) => ({
    from: at(daysAgo),
    to: at(cuts[i + 1]!),
    visitors: Math.round((daysAgo - cuts[i + 1]!) * visitorsPerDay),
    launch: demoTests.filter(test => test.startedDaysAgo === daysAgo),
    end: demoTests.filter(test => test.endedDaysAgo === daysAgo),
    deleteTemplate: demoTests.filter(test => test.templateDeletedDaysAgo === daysAgo),
  }))
}
