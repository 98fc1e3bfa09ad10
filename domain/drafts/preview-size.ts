import { formatCount, formatRate } from '../figures.ts'

/** Screens that a shop's page is previewed on, with the width that the page is drawn at. CSS pixels. */
export const screens = { desktop: 1280, phone: 390 } as const
export type Screen = keyof typeof screens
export const zooms = ['fit', '50', '75', '100'] as const
export type Zoom = (typeof zooms)[number]
export const zoomWords: Record<Zoom, string> = { fit: 'Fit', 50: '50%', 75: '75%', 100: '100%' }

type Size = { width: number; height: number }
/** A page as it is drawn, and how much smaller it is shown. */
export type PageSize = Size & { scale: number }

/**
 * The page is as wide as the screen that it stands for, whatever room there is, and as high as the room shows of it:
 * the rest is reached by scrolling, as on a screen. It is never enlarged.
 */
export function pageSize(screen: Screen, zoom: Zoom, room: Size): PageSize {
  const width = screens[screen]
  const scale = zoom === 'fit' ? Math.min(1, Math.max(room.width, 1) / width) : Number(zoom) / 100
  return { width, height: Math.ceil(Math.max(room.height, 1) / scale), scale }
}

/** "1,280 px wide, shown at 47%" */
export const sizeWords = (screen: Screen, scale: number): string =>
  `${formatCount(screens[screen])} px wide, shown at ${formatRate(scale, 0)}`
