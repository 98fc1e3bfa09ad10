import type { PerArm } from './arm.ts'

/** What one published script file knows of its shop's running tests. Types alone (the script imports this). */
export const changeKinds = ['text', 'html', 'style', 'attribute', 'class', 'hide', 'remove', 'insertBefore', 'insertAfter', 'image'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** One change to the elements a selector finds. `name` is the attribute's or CSS property's, `value` its new content. */
export type ScriptChange = { selector: string; kind: ChangeKind; value: string; name: string }

export type ScriptTest = {
  id: string
  weights: PerArm<number>
  /** URL patterns of the tested pages; `*` stands for any run of characters (url-pattern.ts). */
  pages: string[]
  /** Page element test. */
  changes?: ScriptChange[]
  /** URL redirect test: where the variant goes; path, or https URL on one of the shop's own hosts. */
  to?: string
}

export type ScriptConfig = {
  shop: string
  /** Absolute URL of the collector. */
  collect: string
  /** Absolute URL of the preview script, without its token. */
  preview: string
  tests: ScriptTest[]
  /** By a feature flag of the store: tells the console what it does. */
  debug?: true
  /** By a feature flag of the store: the referrer is not put back after a redirect. */
  keepsReferrer?: true
  /** Set in a preview script only: the one test, its arm and the titles for the bar. Nothing is recorded then. */
  previewing?: {
    arm: 0 | 1
    title: string
    armTitles: PerArm<string>
    /** Preview link of the other arm. */
    otherUrl?: string
  }
}

/** Query parameter of a preview link; its value is the engine's signed token. `twinshelf_preview=<token>` */
export const previewParameter = 'twinshelf_preview'
