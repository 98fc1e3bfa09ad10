import {
  type Capabilities,
  capabilitiesByName,
  namedCapabilities,
} from '../../domain/platform/capabilities.ts'
import { lackOf, type NeedName } from '../../domain/platform/kind-needs.ts'

/** Tests that need something of the shop. Without `tests` all tests of the file need it. */
export type StoryNeed = {
  file: string
  need: NeedName | 'higherPrices'
  /** Titles that begin so. */
  tests?: readonly string[]
}

/**
 * Which tests a shop cannot run that lacks what they need. `npm run stories` lists them with the
 * reason and skips them; all others have to pass whatever the shop can do.
 */
export const storyNeeds: readonly StoryNeed[] = [
  {
    file: 'test/e2e/after-launch.spec.ts',
    need: 'redirects',
    tests: ['a merchant pauses from the list'],
  },
  {
    file: 'test/e2e/draft-autosave.spec.ts',
    need: 'testPrices',
    tests: ['a box that is ticked during a search stays ticked'],
  },
  {
    file: 'test/e2e/experiments-prices.spec.ts',
    need: 'testPrices',
  },
  {
    file: 'test/e2e/experiments.spec.ts',
    need: 'ownCopies',
    tests: ['a page content test: a heading is changed', 'a template test: the copy is changed'],
  },
  {
    file: 'test/e2e/experiments.spec.ts',
    need: 'publishThemes',
    tests: ['a theme test: half of the visitors see the other theme'],
  },
  {
    file: 'test/e2e/two-shops.spec.ts',
    need: 'ownCopies',
  },
  {
    file: 'test/e2e/uninstall.spec.ts',
    need: 'ownCopies',
  },
  {
    file: 'test/e2e/url-redirect.spec.ts',
    need: 'redirects',
  },
  {
    file: 'test/engine/drafts/draft-targets.test.ts',
    need: 'ownCopies',
    tests: [
      'the control is a template in use, and the variant is a copy',
      'changing, removing or deleting the variant deletes our copy,',
      'another control deletes our copy of the old one; another',
      'a control that is not in use or a default template as variant',
      'a granular variant is only for the named resources, which',
      'missing or unsuitable targets are refused at their field, and',
      'a duplicate has hypotheses and a template of its own, and no',
    ],
  },
  {
    file: 'test/engine/drafts/draft-targets.test.ts',
    need: 'testPrices',
    tests: ['a launch names the fields that a draft of each kind still lacks'],
  },
  {
    file: 'test/engine/drafts/pictures/choice-pictures.test.ts',
    need: 'ownCopies',
    tests: ['each choice is drawn once as the shop shows it, and again'],
  },
  {
    file: 'test/engine/drafts/pictures/pictures.test.ts',
    need: 'ownCopies',
    tests: ['a picture in a template is deleted with the last draft that'],
  },
  {
    file: 'test/engine/prices/price-orders.test.ts',
    need: 'testPrices',
  },
  {
    file: 'test/engine/products/price-test-holds.test.ts',
    need: 'testPrices',
    tests: [
      'a product never gets a second running price test: not by a',
      'prices that the shop refuses put their test on hold with the',
    ],
  },
  {
    file: 'test/engine/products/products.test.ts',
    need: 'testPrices',
    tests: [
      'a product joins a draft with the shop’s price in both arms;',
      'prices and products that are not valid are refused at their',
      'a batch adds, changes and removes products, either all of it',
      'products are listed and counted for the store and for one',
      'a launched test keeps products and prices; another draft with',
      'without the feature flag every call is refused with the',
      'a product webhook adds an error to the drafts that have the',
    ],
  },
  {
    file: 'test/engine/products/test-products.test.ts',
    need: 'testPrices',
  },
  {
    file: 'test/engine/script/script-switch.test.ts',
    need: 'publishThemes',
    tests: ['another theme that is published has its own switch; so has'],
  },
  {
    file: 'test/engine/stores/uninstall.test.ts',
    need: 'ownCopies',
    tests: ['after the request to uninstall, no test starts and the shop'],
  },
  {
    file: 'test/engine/tests/apply-failures.test.ts',
    need: 'ownCopies',
    tests: [
      'applying the variant after the control leaves nothing behind',
      'applying control to a page that the merchant has edited keeps',
    ],
  },
  {
    file: 'test/engine/tests/apply-failures.test.ts',
    need: 'testPrices',
    tests: ['a switch that fails half way keeps the winner that was'],
  },
  {
    file: 'test/engine/tests/apply-kinds.test.ts',
    need: 'ownCopies',
    tests: [
      'cart and search: the file gets the variant’s content, the',
      'collections and one page’s content are assigned, whatever the',
      'when a test is on hold because our template is gone, applying',
      'if no page uses the control template any more, applying is',
    ],
  },
  {
    file: 'test/engine/tests/apply-kinds.test.ts',
    need: 'testPrices',
    tests: ['when one of several products is gone, the others get their'],
  },
  {
    file: 'test/engine/tests/apply.test.ts',
    need: 'ownCopies',
    tests: [
      'a winning template gets all pages of the control’s template,',
      'applying an ended test later restores its template unchanged,',
      'the home page’s file gets the variant’s content, and the',
      'an arm that cannot be applied is refused with a message, and',
      'of two requests at once, the arm is applied once',
      'an arm that is applied while the check undoes changes of',
      'an application that a crash interrupted is finished once by',
    ],
  },
  {
    file: 'test/engine/tests/apply.test.ts',
    need: 'publishThemes',
    tests: ['a theme’s winner is published, and control publishes the old one'],
  },
  {
    file: 'test/engine/tests/apply.test.ts',
    need: 'redirects',
    tests: ['a winning redirect becomes a redirect of the shop, for everyone'],
  },
  {
    file: 'test/engine/tests/apply.test.ts',
    need: 'testPrices',
    tests: [
      'winning prices are for everyone',
      'applying control changes no price that the merchant set: not',
    ],
  },
  {
    file: 'test/engine/tests/launch/launch-checks.test.ts',
    need: 'testPrices',
    tests: ['prices of zero, deleted products and products in another'],
  },
  {
    file: 'test/engine/tests/launch/launch-races.test.ts',
    need: 'ownCopies',
  },
  {
    file: 'test/engine/tests/launch/launch-targets.test.ts',
    need: 'ownCopies',
    tests: [
      'a template or theme that is unchanged, gone or incompatible',
      'findings of a browser about a template are stale once its',
    ],
  },
  {
    file: 'test/engine/tests/launch/launch-visits.test.ts',
    need: 'testPrices',
    tests: ['a real browser opens both arms of a draft in the shop'],
  },
  {
    file: 'test/engine/themes/template-contents.test.ts',
    need: 'ownCopies',
  },
  {
    file: 'test/engine/themes/templates.test.ts',
    need: 'ownCopies',
    tests: [
      'a template is copied with a suffix of ours, for all pages or',
      'the live theme is listed first, and a theme is compatible if',
    ],
  },
]

/** Why the shop cannot run these tests; null when it can. */
export function whyNot({ need }: StoryNeed, store: Capabilities): string | null {
  if (need === 'higherPrices')
    return store.priceWay === 'transform' ? null : 'The shop cannot charge more than its own price.'
  return lackOf(need, store)?.reason ?? null
}

/** The rows whose tests a shop with these capabilities cannot run. */
export const skippedFor = (store: Capabilities): { row: StoryNeed; reason: string }[] =>
  storyNeeds.flatMap(row => {
    const reason = whyNot(row, store)
    return reason === null ? [] : [{ row, reason }]
  })

/** What the demo shops of this run can do (`DEMO_CAPABILITIES`); by default everything. */
export function capabilitiesOfRun(): Capabilities {
  const asked = process.env['DEMO_CAPABILITIES'],
    name = namedCapabilities.find(each => each === asked)
  if (asked && !name) throw new Error(`DEMO_CAPABILITIES is ${namedCapabilities.join(' or ')}.`)
  return capabilitiesByName[name ?? 'richest']
}
