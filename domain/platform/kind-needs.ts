import * as Type from 'typebox'
import type { TestKind } from '../tests/test-kind.ts'
import type { Capabilities } from './capabilities.ts'

/** Why a store cannot do something, and what would make it possible or do instead. */
export const Lack = Type.Object({ reason: Type.String(), remedy: Type.String() })
export type Lack = Type.Static<typeof Lack>
type Need = Lack & {
  isMet: (store: Capabilities) => boolean
  /** The remedy where the names of what it is about are known. */
  remedyFor?: (...names: string[]) => string
}
/** Whether we may add files to themes, and not only change those that are there. */
const addsFiles = ({ themeWrites, copies }: Capabilities): boolean =>
  themeWrites && copies === 'ours'

/**
 * Everything that a kind of test or an act asks of the store. All layers read it here, so that a
 * merchant finds the same words wherever they meet the limit. These words name no platform.
 */
const needs = {
  testPrices: {
    isMet: ({ priceWay }) => priceWay !== 'none',
    reason: 'Your shop does not let apps change the price that a shopper pays.',
    remedy: 'Price tests become possible when your shop’s plan or its platform allows that.',
  },
  copies: {
    isMet: ({ themeWrites, copies }) => copies === 'merchant' || themeWrites,
    reason: 'Your shop does not let us write into its themes, so the variant can have no copy.',
    remedy: 'It becomes possible when your shop lets the app change theme files.',
  },
  ownCopies: {
    isMet: addsFiles,
    reason: 'Your shop does not let us copy a template.',
    remedy:
      'Make a copy of the template in your shop’s theme editor, then choose it as the variant.',
  },
  themeFiles: {
    isMet: ({ themeWrites }) => themeWrites,
    reason: 'Your shop does not let us change files of its themes.',
    remedy: 'Make the change in your shop’s theme editor.',
  },
  publishThemes: {
    isMet: ({ themeWrites }) => themeWrites,
    reason: 'Your shop does not let us publish a theme.',
    remedy: 'Publish the arm’s theme yourself in your shop’s admin, then apply it here.',
    remedyFor: (theme: string) =>
      `Publish the theme ${theme} in your shop’s admin, then apply it here.`,
  },
  // The original is kept in a new file.
  replaceTemplate: {
    isMet: addsFiles,
    reason: 'This page has only one template of its own, and your shop does not let us replace it.',
    remedy:
      'In your shop’s admin, put the content of the variant’s template into that one, then apply it here.',
    remedyFor: (from: string, to: string) =>
      `In your shop’s admin, put the content of the template ${from} into ${to}, then apply it here.`,
  },
  restoreTemplate: {
    isMet: addsFiles,
    reason:
      'The variant’s template is no longer in the live theme, and your shop does not let us write it again.',
    remedy: 'Make it again in your shop’s admin under the same name, then apply it here.',
    remedyFor: (template: string) =>
      `Make the template ${template} again in your shop’s admin, then apply it here.`,
  },
  redirects: {
    isMet: ({ redirects }) => redirects !== 'none',
    reason: 'Your shop does not let us redirect an address.',
    remedy:
      'To make it permanent in your shop instead, show the variant’s content on the control’s page.',
  },
  redirectsOverPages: {
    isMet: ({ redirects }) => redirects === 'always',
    reason: 'Your shop redirects only addresses without a page, and the control’s page exists.',
    remedy:
      'To make it permanent in your shop instead, delete or hide that page or give it another address before you apply the variant, and the shop redirects; or show the variant’s content on that page.',
  },
} as const satisfies Record<string, Need>
export type NeedName = keyof typeof needs
export const needNames = Object.keys(needs) as NeedName[]

/**
 * What the store lacks for one need; null when it has it. `names`: what the remedy is about, such
 * as the theme that the merchant publishes.
 */
export function lackOf(name: NeedName, store: Capabilities, ...names: string[]): Lack | null {
  const { isMet, reason, remedy, remedyFor }: Need = needs[name]
  if (isMet(store)) return null
  return { reason, remedy: (names.length > 0 && remedyFor?.(...names)) || remedy }
}

/**
 * What each kind of test needs to run. A theme test shows a theme that the shop has, and a template
 * test may show a template that it has, so neither needs a copy. Our script shows the arms of the
 * others.
 */
export const kindNeeds: Record<TestKind, readonly NeedName[]> = {
  Theme: [],
  Template: [],
  PageContent: ['copies'],
  UrlRedirect: [],
  PageElement: [],
  Api: [],
  Price: ['testPrices'],
}

/** Why this store cannot run tests of this kind; null when it can. */
export function kindLack(kind: TestKind, store: Capabilities): Lack | null {
  for (const name of kindNeeds[kind]) {
    const lack = lackOf(name, store)
    if (lack) return lack
  }
  return null
}

/**
 * Why the shop itself cannot send the visitors of one page to another for good, so that our script
 * does; null when it can. `isPageThere`: the shop has a page at the address.
 */
export const redirectLack = (store: Capabilities, isPageThere: boolean): Lack | null =>
  lackOf('redirects', store) ?? (isPageThere ? lackOf('redirectsOverPages', store) : null)

/**
 * Why a variant that wins could not be made permanent from here; null when it could. `hasOwnFile`:
 * a template test of the home page, the cart or the search page, whose template has to be replaced;
 * pages of the other types are assigned to the variant's.
 */
export function winnerLack(
  kind: TestKind,
  store: Capabilities,
  { hasOwnFile = false }: { hasOwnFile?: boolean } = {},
): Lack | null {
  switch (kind) {
    case 'Theme':
      return lackOf('publishThemes', store)
    case 'Template':
    case 'PageContent':
      return hasOwnFile ? lackOf('replaceTemplate', store) : null
    case 'UrlRedirect':
    case 'PageElement':
    case 'Api':
    case 'Price':
      return null
  }
}

/** Both sentences, for a message that has one place. */
export const lackWords = ({ reason, remedy }: Lack): string => `${reason} ${remedy}`
