import { themeParameter } from '../../../domain/events/page-facts.ts'
import type { PlatformAddresses, PlatformEntrance } from '../addresses.ts'

const pages = { home: '', settings: '/settings', themes: '/themes' } as const

/** Where the demo shop has its pages. It has one shop, so no address names a shop. */
export function demoAddresses(
  shopOrigin: string,
  adminOrigin: string,
): PlatformAddresses & { entrance: PlatformEntrance } {
  const admin = `${adminOrigin}/admin`,
    app = `${admin}/apps/twinshelf`,
    theme = (id: string) => `${admin}/themes/${encodeURIComponent(id)}`
  return {
    adminUrl: (_, page) => admin + pages[page],
    appUrl: () => app,
    signInUrl: () => `${app}/session`,
    addressMessage: () => 'app:address',
    tokenMessage: () => 'app:id-token',
    adminScript: () => null,
    themeUrl: (_, id) => theme(id),
    themeFileUrl: (_, id) => `${theme(id)}/file?name=`,
    themePreviewPath: (_, id) => `/?${themeParameter}=${encodeURIComponent(id)}`,
    // The address of an order's page ends with the number in its name: "#1042" is at 1042.
    orderAddress: (_, { name }) =>
      /^#\d+$/.test(name) ? `${admin}/orders/${name.slice(1)}` : null,
    frameAncestors: () => [adminOrigin],
    adminOrigins: () => [adminOrigin],
    sources: () => ({ scripts: [], images: [shopOrigin], frames: [shopOrigin] }),
    entrance: { label: 'Demo shop', admin, app, session: `${app}/session` },
  }
}
