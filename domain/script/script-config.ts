import type { PerArm } from '../arm.ts'
import type { AudienceValues } from '../audiences/audience-match.ts'

/** What one published script file knows of its shop's running tests. Types alone (the script imports this). */
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

/** One change to the elements a selector finds. `name` is the attribute's or CSS property's, `value` its new content; of `move`, the selector of the element it is put before, or with `name` 'after', behind. */
export type ScriptChange = {
  selector: string
  kind: ChangeKind
  value: string
  name: string
  /** URL patterns of the pages it is made on; without them, on all of its test. */
  pages?: string[]
}

/** A change as a published script holds it. */
export type PublishedChange = [
  selector: string,
  kind: ChangeKind,
  value: string,
  name?: string,
  pages?: string[],
]

/** A product's prices in a test: product variant's id, control's and the variant's, in minor units of the shop's currency. */
export type ScriptPrice = [id: string, control: number, variant: number]

/** What one published script file knows of a running test. Beside `id`, `weights` and where it is met, one of its kinds' parts. */
export type ScriptTest = {
  id: string
  weights: PerArm<number>
  /** URL patterns of the tested pages; `*` stands for any run of characters (url-pattern.ts). Template tests are met by `view` instead and have none. */
  pages: string[]
  /** Page element test. */
  changes?: ScriptChange[]
  /** URL redirect test: where the variant goes; path, or https URL on one of the shop's own hosts. */
  to?: string
  /** Template and page content test: names of both templates as pages say them (page-facts.ts). Of one that is over, '' for control's. */
  view?: [control: string, variant: string]
  /** With `view`: only these products, collections, pages, blogs or articles. */
  only?: string[]
  /** Theme test: ids of both themes. One that is over is told about for a while, with '' for control's. */
  theme?: [control: string, variant: string]
  /** Price test: by product handle. */
  prices?: Record<string, ScriptPrice[]>
  /** API test: both hypotheses, by which the shop's code asks. */
  api?: [control: string, variant: string]
  /** API test: assigned when the shop's code first asks, not on the first page. */
  isManual?: true
  /** Who takes part: visitors of any of these; without it, everyone. */
  audiences?: ScriptAudience[]
  /** Tests of one layer could disturb each other: a visitor is in one of them at most (exclusion.ts). */
  layer?: number
  /** With `layer`: those of it that this one disturbs itself; with the others it is held together by a third. */
  rivals?: string[]
}
/** A built-in audience by its number, or an own one's conditions (audience-match.ts). */
export type ScriptAudience = number | AudienceValues

export type ScriptConfig = {
  shop: string
  /** Absolute URL of the collector. */
  collect: string
  /** Absolute URL of the preview script for this shop, up to the token, which is added to its end. */
  preview: string
  tests: ScriptTest[]
  /** Applied changes of page elements, each with its pages: everyone is shown them, asked for consent or not, and nobody is counted for them. */
  always?: ScriptChange[]
  /** By a feature flag of the store: tells the console what it does. */
  debug?: true
  /** By a feature flag of the store: the referrer is not put back after a redirect. */
  keepsReferrer?: true
  /** By a feature flag of the store: who opens the address of another arm's template stays there, uncounted. */
  ignoresView?: true
  /** By the store's consent rule: who has not agreed is as who has refused. */
  asksConsent?: true
  /** By a feature flag of the store: no referrer is read. */
  isSparing?: true
  /** Set in a preview script only: the one test, its arm and the titles for the bar. Nothing is recorded then. */
  previewing?: {
    arm: 0 | 1
    title: string
    armTitles: PerArm<string>
    /** Preview link of the other arm. */
    otherUrl?: string
    /** Of a draft: origin of the app whose editor may pick elements here and show changes that are not saved yet. */
    editor?: string
  }
}

/** Query parameter of a preview link; its value is the engine's signed token. `twinshelf_preview=<token>` */
export const previewParameter = 'twinshelf_preview'
