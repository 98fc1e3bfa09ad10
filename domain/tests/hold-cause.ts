import { scriptOffWords } from '../script/script-state.ts'
import type { TestKind } from './test-kind.ts'

/** Why the system puts a test on hold, and what the merchant can do. Only words, no schema. */
export const holdCauses = {
  visitorLimit: {
    message: 'This cycle’s visitors have reached the plan’s limit.',
    remedy:
      'Choose a plan with more visitors, or wait until usage resets. Tests on hold then resume by themselves.',
  },
  notSubscribed: {
    message: 'There was no active subscription when the test was to start.',
    remedy: 'Choose a plan, then resume the test.',
  },
  notIncluded: {
    message: 'The store’s plan does not include this test.',
    remedy: 'Once your plan includes it, resume the test. Or end it.',
  },
  templateGone: {
    message: 'A template of this test is not in the live theme any more.',
    remedy: 'Restore or recreate the template, then resume the test. Or end the test.',
  },
  themeGone: {
    message: 'A theme of this test was deleted.',
    remedy: 'Choose another theme for the variant, then resume the test. Or end it.',
  },
  themeIncomplete: {
    message: 'A theme of this test is missing templates that the shop uses.',
    remedy:
      'Add them to it, or choose another theme for the variant; then resume the test. Or end it.',
  },
  themePublishedOver: {
    message: 'Another theme was published while this test ran.',
    remedy: 'Publish the control’s theme, then resume the test. Or end it.',
  },
  pageGone: {
    message: 'A page of this test is gone.',
    remedy: 'Restore the page or choose another for the variant, then resume the test. Or end it.',
  },
  productGone: {
    message: 'A product of this test is no longer for sale.',
    remedy: 'Restore the product or remove it from the test, then resume the test.',
  },
  productConflict: {
    message: 'A product of this test is in another running price test.',
    remedy: 'End one of the two, or remove the product from this one; then resume the test.',
  },
  priceMismatch: {
    message: 'A price was changed in the shop while this test ran.',
    remedy: 'Set the price back to the control’s price, then resume the test. Or end it.',
  },
  chargeMismatch: {
    message: 'Several orders were charged a different price from the one their buyers saw.',
    remedy:
      'Check these orders, and check what else changes cart prices in your shop; then resume the test. Or end it.',
  },
  priceRefused: {
    message: 'The shop refuses the prices of this test.',
    remedy:
      'Duplicate the test with prices that the shop accepts, and end this one. Or resume it once the shop accepts these prices.',
  },
  scriptRefused: {
    message: 'The shop refuses its script with this test in it.',
    remedy:
      'End another test, then resume this one. Or duplicate this test with fewer or shorter changes, and end it.',
  },
  scriptOff: {
    message: scriptOffWords.message,
    remedy: 'Turn it on in your theme’s settings; the test then resumes by itself. Or end it.',
  },
  nativeExperiment: {
    message: 'Your shop runs an experiment of its own over a theme of this test.',
    remedy: 'End it in your shop’s admin; the test then resumes by itself. Or end the test.',
  },
  splitBroken: {
    message: 'The arms do not get their planned share of visitors.',
    remedy:
      'Find out why visitors of one arm are not counted, then start a new test. You cannot trust the figures so far.',
  },
} as const satisfies Record<string, { message: string; remedy: string }>
export type HoldCauseName = keyof typeof holdCauses
export const holdCauseNames = Object.keys(holdCauses) as [HoldCauseName, ...HoldCauseName[]]

export type HoldCause = {
  cause: HoldCauseName
  message: string
  remedy: string
  /** The page of the shop's admin where the merchant does what the remedy says, if we know it. */
  fixAt?: string
}
/** What the button says that leads to `fixAt`. */
export const fixWords: Partial<Record<HoldCauseName, string>> = {
  scriptOff: scriptOffWords.action,
  nativeExperiment: 'Open the experiment',
}
/** Makes a hold cause. `message`: what exactly was found, if that is known. */
export const holdCause = (
  cause: HoldCauseName,
  message: string = holdCauses[cause].message,
): HoldCause => ({ cause, message, remedy: holdCauses[cause].remedy })

/** Causes in the shop that may pass without us: their tests then resume by themselves. */
export const passingCauses = ['scriptOff', 'nativeExperiment'] as const satisfies HoldCauseName[]

/**
 * The causes that each kind of test can have in the shop itself. The other causes come from the
 * subscription, the orders and the figures.
 */
export const shopCauses: Record<TestKind, readonly HoldCauseName[]> = {
  Theme: [
    'themeGone',
    'themeIncomplete',
    'themePublishedOver',
    'nativeExperiment',
    'scriptRefused',
    'scriptOff',
  ],
  Template: ['templateGone', 'scriptRefused', 'scriptOff'],
  PageContent: ['templateGone', 'pageGone', 'scriptRefused', 'scriptOff'],
  UrlRedirect: ['pageGone', 'scriptRefused', 'scriptOff'],
  PageElement: ['scriptRefused', 'scriptOff'],
  Api: ['scriptRefused', 'scriptOff'],
  Price: [
    'productGone',
    'productConflict',
    'priceMismatch',
    'priceRefused',
    'scriptRefused',
    'scriptOff',
  ],
}
