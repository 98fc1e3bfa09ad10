import type { Capability } from './access.ts'

/** The kinds of test of spec §1. `buildable` are those the editor offers so far. */
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
export const buildableKinds = ['PageElement', 'UrlRedirect'] as const satisfies TestKind[]
export type BuildableKind = (typeof buildableKinds)[number]

/** Which kinds the storefront script can show to shoppers; the others can be prepared, not launched. */
export const deliverable: Record<TestKind, boolean> = {
  Theme: false, Template: false, PageContent: false, UrlRedirect: true, PageElement: true, Api: false, Price: false,
}
export const notDeliverable = (kind: TestKind): string => `${testKinds[kind].label} tests cannot be launched yet: the storefront script does not show them.`

/** Whether the storefront script judges audiences. Until it does, a test that names one is not launched: it would be shown to everyone. */
export const deliversAudiences = false as boolean
export const audiencesNotDelivered = 'Tests for an audience cannot be launched yet: the storefront script shows them to everyone. Take the audience out.'

/** What opens a kind of test (spec §6); theme and template tests come with every plan. */
export const kindCapability: Partial<Record<TestKind, Capability>> = {
  UrlRedirect: 'UrlRedirectTests', PageElement: 'DomTesting', Api: 'ApiTesting', Price: 'PriceTesting',
}
