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
