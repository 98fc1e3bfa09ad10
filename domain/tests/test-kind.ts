import type { Capability } from '../access.ts'

/** The kinds of test (requirements 1.3). */
export const testKinds = {
  Theme: { label: 'Theme', where: 'Whole shop' },
  Template: { label: 'Template', where: 'Pages of one template' },
  PageContent: { label: 'Page content', where: 'One page' },
  UrlRedirect: { label: 'URL redirect', where: 'One page' },
  PageElement: { label: 'Page element', where: 'Pages by URL' },
  Api: { label: 'API', where: 'Your own code' },
  Price: { label: 'Price', where: 'Products' },
} as const
export type TestKind = keyof typeof testKinds
export const testKindNames = Object.keys(testKinds) as [TestKind, ...TestKind[]]

/**
 * The capability that each kind of test needs (requirements 16.6 to 16.10). Kinds that are not
 * listed are open in every plan.
 */
export const kindCapability: Partial<Record<TestKind, Capability>> = {
  UrlRedirect: 'UrlRedirectTests',
  PageElement: 'DomTesting',
  Api: 'ApiTesting',
  Price: 'PriceTesting',
}

/** The kind within a sentence: abbreviations keep their capitals. */
export function kindWords(kind: TestKind): string {
  const { label } = testKinds[kind]
  return kind === 'Api' || kind === 'UrlRedirect' ? label : label.toLowerCase()
}

/** The message for a store that may launch this kind of test. */
export function kindAvailable(kind: TestKind): string {
  const words = kindWords(kind)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} tests are available for your store.`
}
