import type { DomSelector } from '../../domain/drafts/dom-selector.ts'
import type { DraftCreate } from '../../domain/drafts/draft.ts'
import type { PriceRule } from '../../domain/prices/price-rule.ts'
import type { AssignedType } from '../../domain/themes/template.ts'

/** What a merchant writes into a draft of the demo data. */
export type DemoDraft = {
  draft: DraftCreate
  domSelectors?: Pick<DomSelector, 'actions' | 'urlPatterns'>[]
  /** Price test: handles of its products, and the rule that makes the variant's prices. */
  prices?: { handles: string[]; rule: PriceRule }
  /**
   * Template test: the variant is a copy of this template for these pages, with a section added.
   */
  template?: {
    type: AssignedType
    handles: string[]
    section: { type: string; settings: Record<string, string> }
  }
}

/** A test of the demo data: its draft, when it ran, and the true effect of its variant. */
export type DemoTest = DemoDraft & {
  startedDaysAgo: number
  /** Null while it runs. */
  endedDaysAgo: number | null
  /** True relative change of the probability to buy. */
  lift: number
  /**
   * Share of the variant's visitors whose browser its changes break: they leave, and nothing is
   * recorded for them.
   */
  loses?: number
  /**
   * How many days ago the shop's merchant deletes the variant's template, so that the system puts
   * the test on hold.
   */
  templateDeletedDaysAgo?: number
}

/** Drafts that are not launched yet when the demo shop is opened. */
export const demoDrafts: DemoDraft[] = [
  {
    draft: {
      kind: 'Template',
      title: 'Product pages with a story',
      goal: 'AddToCartRate',
      hypothesisDescription: 'Shoppers who know how a pot is made should want it more.',
    },
  },
  {
    draft: {
      kind: 'UrlRedirect',
      title: 'New page about shipping',
      goal: 'ClickThroughRate',
      controlUrl: '/pages/shipping',
    },
  },
  {
    draft: {
      kind: 'Price',
      title: 'Linen at round prices',
      goal: 'RevenuePerSession',
      hypothesisDescription: 'Round prices read more quickly than prices that end in 50 cents.',
    },
    prices: { handles: ['linen-apron', 'tea-towel-pair'], rule: { kind: 'percent', value: 5 } },
  },
  {
    draft: {
      kind: 'Api',
      title: 'Search that knows synonyms',
      goal: 'ConversionRate',
      apiMode: 'manual',
    },
  },
]

/** A test that is launched and will start automatically in this many days. */
export const scheduledTest: DemoDraft & { startsInDays: number } = {
  draft: {
    kind: 'PageElement',
    title: 'Gift wrap in the cart',
    goal: 'AverageOrderValue',
    weights: [0.5, 0.5],
    minimumEffect: 0.3,
    hypothesisDescription:
      'Said in the cart, gift wrap should bring shoppers to add one more thing to what they give.',
    controlTitle: 'Cart as it is',
    variantTitle: 'Gift wrap offered',
  },
  domSelectors: [
    {
      urlPatterns: ['/cart'],
      actions: [
        {
          selector: 'h1',
          kind: 'insertAfter',
          name: '',
          value:
            '<p class="cart__wrap">Wrapped in wood wool and plain paper, free of charge. Say so in the note.</p>',
        },
      ],
    },
  ],
  startsInDays: 3,
}
