import type { PerArm } from '../arm.ts'
import type { PageApis } from './page-apis.ts'
import type { AudienceValues } from '../audiences/audience-match.ts'

/**
 * What one published script file knows about its shop's running tests. Only types and lists of
 * names, because the script imports this file.
 */
export const changeKinds = [
  'text',
  'html',
  'style',
  'attribute',
  'class',
  'hide',
  'remove',
  'insertBefore',
  'insertAfter',
  'image',
  'move',
] as const
export type ChangeKind = (typeof changeKinds)[number]

/**
 * One change to the elements that a selector finds. `name`: the attribute or CSS property. `value`:
 * the new content. For `move`, `value` is the selector of the element before which it is put, or
 * behind which with `name` 'after'.
 */
export type ScriptChange = {
  selector: string
  kind: ChangeKind
  value: string
  name: string
  /** URL patterns of the pages that it is made on; without them, all tested pages. */
  pages?: string[]
}

/** A change in a published script. */
export type PublishedChange = [
  selector: string,
  kind: ChangeKind,
  value: string,
  name?: string,
  pages?: string[],
]

/**
 * Prices of one product variant: its id, the control's price and the variant's, in minor units of
 * the shop's currency.
 */
export type ScriptPrice = [id: string, control: number, variant: number]

/**
 * What one published script file knows about a running test: `id`, `weights`, its pages, and the
 * fields of its kind.
 */
export type ScriptTest = {
  id: string
  weights: PerArm<number>
  /**
   * URL patterns of the tested pages; `*` matches any characters (url-pattern.ts). Empty for
   * template tests, which use `view`.
   */
  pages: string[]
  /** Page element test. */
  changes?: ScriptChange[]
  /**
   * URL redirect test: where the variant goes, a path or an https URL on one of the shop's own
   * hosts.
   */
  to?: string
  /**
   * The applied winner of a redirect test: where every visitor of `pages` is sent for good. It has
   * no id and no arms.
   */
  sent?: string
  /**
   * Template and page content test: names of both templates, as pages give them (page-facts.ts).
   * For a test that is over, the control's is ''.
   */
  view?: [control: string, variant: string]
  /** With `view`: only these products, collections, pages, blogs or articles. */
  only?: string[]
  /**
   * Theme test: ids of both themes. A test that is over stays in the script for a while, with '' as
   * the control's.
   */
  theme?: [control: string, variant: string]
  /** Price test: prices by product handle. */
  prices?: Record<string, ScriptPrice[]>
  /** API test: ids of both hypotheses, with which the shop's code asks. */
  api?: [control: string, variant: string]
  /** API test: visitors are assigned when the shop's code first asks, not on the first page. */
  isManual?: true
  /** Visitors in any of these audiences take part; without it, everyone. */
  audiences?: ScriptAudience[]
  /**
   * Tests in one layer could disturb each other, so a visitor is in at most one of them
   * (exclusion.ts).
   */
  layer?: number
  /**
   * With `layer`: ids of the tests in it that this one disturbs directly. The others are in the
   * layer only through a third test.
   */
  rivals?: string[]
}
/** The number of a built-in audience, or the conditions of a store's own (audience-match.ts). */
export type ScriptAudience = number | AudienceValues

export type ScriptConfig = {
  shop: string
  /** Absolute URL of the collector. */
  collect: string
  /** Absolute URL of the preview script for this shop, without the token, which is appended. */
  preview: string
  tests: ScriptTest[]
  /**
   * Applied changes of page elements, each with its pages. All visitors see them, with or without
   * consent, and nothing is counted for them.
   */
  always?: ScriptChange[]
  /** Feature flag of the store: the script writes to the console what it does. */
  debug?: true
  /** Feature flag of the store: the script does not restore the referrer after a redirect. */
  keepsReferrer?: true
  /**
   * Feature flag of the store: visitors who open the address of the other arm's template stay there
   * and are not counted.
   */
  ignoresView?: true
  /**
   * Consent rule of the store: visitors who have not agreed are treated like visitors who have
   * refused.
   */
  asksConsent?: true
  /** What the shop's pages offer to scripts; only where they offer anything. */
  pageApis?: PageApis
  /** Feature flag of the store: the script reads no referrer. */
  isSparing?: true
  /**
   * Only in a preview script: the arm to show, and the titles for the bar. Nothing is recorded
   * then.
   */
  previewing?: {
    arm: 0 | 1
    title: string
    armTitles: PerArm<string>
    /** Preview link of the other arm. */
    otherUrl?: string
    /**
     * For a draft: origin of the app, whose editor may pick elements in the page and show unsaved
     * changes.
     */
    editor?: string
  }
}

/** Query parameter of a preview link: `twinshelf_preview=<token>`. The engine signs the token. */
export const previewParameter = 'twinshelf_preview'
