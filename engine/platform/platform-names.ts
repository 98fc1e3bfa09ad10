/** The platforms that the configuration may switch on. The first is on when it says nothing. */
export const platformNames = ['demo', 'shopify'] as const
export type PlatformName = (typeof platformNames)[number]
