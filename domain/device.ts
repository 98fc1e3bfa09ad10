/** The kinds of device in reports. An event row keeps the index, so add new ones at the end. */
export const devices = ['desktop', 'phone', 'tablet'] as const
export type Device = (typeof devices)[number]
export type DeviceIndex = 0 | 1 | 2
export const deviceLabels: Record<Device, string> = {
  desktop: 'Desktop',
  phone: 'Phone',
  tablet: 'Tablet',
}

/**
 * Tells the kind of device from the User-Agent header. The code is short because the storefront
 * script carries it. The engine uses a library instead (visit-agent.ts), and the cases in
 * test/cases/user-agents.json check that both agree.
 * Televisions and consoles count as desktops, because they have a wide screen.
 */
export function deviceOf(userAgent: string): DeviceIndex {
  if (/TV\b|BRAVIA|PlayStation|Tablet PC/.test(userAgent)) return 0
  if (/iPad|Tablet|Silk|Kindle|PlayBook|Android(?!.*\bMobile\b)/i.test(userAgent)) return 2
  return /Mobi|iPhone|iPod|Windows Phone/i.test(userAgent) ? 1 : 0
}
