/** Kinds of device a report tells apart. An event row keeps the index, so new ones go to the end. */
export const devices = ['desktop', 'phone', 'tablet'] as const
export type Device = (typeof devices)[number]
export type DeviceIndex = 0 | 1 | 2
export const deviceLabels: Record<Device, string> = { desktop: 'Desktop', phone: 'Phone', tablet: 'Tablet' }
