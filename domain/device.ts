/** Kinds of device a report tells apart. An event row keeps the index, so new ones go to the end. */
export const devices = ['desktop', 'phone', 'tablet'] as const
export type Device = (typeof devices)[number]
export type DeviceIndex = 0 | 1 | 2
export const deviceLabels: Record<Device, string> = {
  desktop: 'Desktop',
  phone: 'Phone',
  tablet: 'Tablet',
}

/**
 * Kind of device by its User-Agent header, in the few bytes that the storefront script can spend on its audiences. The
 * engine asks a library (visit-agent.ts); test/cases/user-agents.json holds the two together. Televisions and consoles
 * are used like a desktop: from a chair, on a wide screen.
 */
export function deviceOf(userAgent: string): DeviceIndex {
  if (/TV\b|BRAVIA|PlayStation|Tablet PC/.test(userAgent)) return 0
  if (/iPad|Tablet|Silk|Kindle|PlayBook|Android(?!.*\bMobile\b)/i.test(userAgent)) return 2
  return /Mobi|iPhone|iPod|Windows Phone/i.test(userAgent) ? 1 : 0
}
