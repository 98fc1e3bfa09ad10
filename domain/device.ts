/** Kinds of device a report tells apart. An event row keeps the index, so new ones go to the end. */
export const devices = ['desktop', 'phone', 'tablet'] as const
export type Device = (typeof devices)[number]
export type DeviceIndex = 0 | 1 | 2
export const deviceLabels: Record<Device, string> = { desktop: 'Desktop', phone: 'Phone', tablet: 'Tablet' }

/** Kind of device by its User-Agent header. Engine and storefront script ask the same question. */
export function deviceOf(userAgent: string): DeviceIndex {
  if (/iPad|Tablet|Silk|Kindle|PlayBook|Android(?!.*\bMobile\b)/i.test(userAgent)) return 2
  return /Mobi|iPhone|iPod|Windows Phone/i.test(userAgent) ? 1 : 0
}
