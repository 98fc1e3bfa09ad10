import { formatCount, formatRate } from '../figures.ts'

/** The screens of the preview, with the width at which the shop's page is drawn. CSS pixels. */
export const screens = { desktop: 1280, phone: 390 } as const
export type Screen = keyof typeof screens
export const zooms = ['fit', '50', '75', '100'] as const
export type Zoom = (typeof zooms)[number]
export const zoomWords: Record<Zoom, string> = { fit: 'Fit', 50: '50%', 75: '75%', 100: '100%' }

type Size = { width: number; height: number }
/** The size at which a page is drawn, and the scale at which it is shown. */
export type PageSize = Size & { scale: number }

/**
 * The page is always as wide as its screen. It is as high as the room can show at that scale; the
 * merchant scrolls to see the rest. "Fit" never enlarges the page.
 */
export function pageSize(screen: Screen, zoom: Zoom, room: Size): PageSize {
  const width = screens[screen]
  const scale = zoom === 'fit' ? Math.min(1, Math.max(room.width, 1) / width) : Number(zoom) / 100
  return { width, height: Math.ceil(Math.max(room.height, 1) / scale), scale }
}

/** "1,280 px wide, shown at 47%" */
export const sizeWords = (screen: Screen, scale: number): string =>
  `${formatCount(screens[screen])} px wide, shown at ${formatRate(scale, 0)}`
