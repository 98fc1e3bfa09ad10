import {
  type Capabilities,
  capabilitiesByName,
  namedCapabilities,
} from '../../domain/platform/capabilities.ts'
import { lackOf, type NeedName } from '../../domain/platform/kind-needs.ts'

/** Tests that need something of the shop. Without `tests` all tests of the file need it. */
export type StoryNeed = {
  file: string
  need: NeedName | 'higherPrices' | 'past'
  /** Titles that begin so. */
  tests?: readonly string[]
}

/**
 * Which tests a shop cannot run that lacks what they need. `npm run stories` lists them with the
 * reason and skips them; all others have to pass whatever the shop can do.
 */
export const storyNeeds: readonly StoryNeed[] = [
  {
    file: 'test/e2e/accessible.spec.ts',
    need: 'past',
    tests: ['a report’s metric, the orders of its ledger and its print'],
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
    tests: [
      'after an uninstall by mouse the shop is as before, except an applied',
      'an uninstall in the shop’s admin ends in the same state, and what',
    ],
  },
  {
    file: 'test/e2e/url-redirect.spec.ts',
    need: 'redirects',
    tests: ['where the shop redirects only missing pages'],
  },
  {
    file: 'test/engine/brand/brand-styles.test.ts',
    need: 'redirects',
    tests: ['a shop whose home page redirects, as to a password page,'],
  },
  {
    file: 'test/engine/drafts/draft-update.test.ts',
    need: 'testPrices',
    tests: ['a save also sets prices, but only of products of this draft'],
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
    file: 'test/engine/script/script-switch.test.ts',
    need: 'publishThemes',
    tests: ['another theme that is published has its own switch; so has'],
  },
  {
    file: 'test/engine/tests/launch/launch-checks.test.ts',
    need: 'testPrices',
    tests: ['prices of zero, deleted products and products in another'],
  },
  {
    file: 'test/engine/tests/launch/launch-targets.test.ts',
    need: 'redirects',
    tests: ['a redirect to an address that redirects again, or to no page,'],
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
    file: 'test/engine/themes/templates.test.ts',
    need: 'ownCopies',
    tests: [
      'a template is copied with a suffix of ours, for all pages or',
      'the live theme is listed first, and a theme is compatible if',
    ],
  },
]

/** What the shops of a run can do, and their platform where it is not the demo's own. */
export type StoryRun = { store: Capabilities; platform?: 'shopify' | undefined }

/** Why the shop cannot run these tests; null when it can. */
export function whyNot({ need }: StoryNeed, { store, platform }: StoryRun): string | null {
  if (need === 'past')
    return platform ? 'Only the shop of the demo’s own platform starts with a past.' : null
  if (need === 'higherPrices')
    return store.priceWay === 'transform' ? null : 'The shop cannot charge more than its own price.'
  return lackOf(need, store)?.reason ?? null
}

/** The rows whose tests cannot be run in these shops. */
export const skippedFor = (run: StoryRun): { row: StoryNeed; reason: string }[] =>
  storyNeeds.flatMap(row => {
    const reason = whyNot(row, run)
    return reason === null ? [] : [{ row, reason }]
  })

/** What the demo shops of this run can do (`DEMO_CAPABILITIES`); by default everything. */
export function capabilitiesOfRun(): Capabilities {
  const asked = process.env['DEMO_CAPABILITIES'],
    name = namedCapabilities.find(each => each === asked)
  if (asked && !name) throw new Error(`DEMO_CAPABILITIES is ${namedCapabilities.join(' or ')}.`)
  return capabilitiesByName[name ?? 'richest']
}
