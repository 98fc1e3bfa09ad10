import { useEffect, useState } from 'react'
import { screens, zooms } from '../../../domain/drafts/preview-size.ts'
import type { View } from './scaled-page.tsx'

const key = 'preview-view'
/**
 * In a narrower window the phone's screen is shown first, because a desktop's page would be too
 * small to use. CSS pixels.
 */
const phoneWidth = 640

/**
 * How the shop's page is shown, remembered for all previews of this tab. `isReady`: the script
 * runs, so the controls may be used.
 */
export function usePreviewView(chosen: () => string): {
  view: View
  isReady: boolean
  change: (part: Partial<View>) => void
} {
  const [view, setView] = useState<View>({ screen: 'desktop', zoom: 'fit' })
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    const screen = chosen() === 'phone' || innerWidth < phoneWidth ? 'phone' : 'desktop'
    setView(keptView() ?? { screen, zoom: 'fit' })
    setReady(true)
  }, [])
  return {
    view,
    isReady,
    change: part => {
      const next = { ...view, ...part }
      setView(next)
      try {
        sessionStorage.setItem(key, JSON.stringify(next))
      } catch {
        /* only this page remembers it */
      }
    },
  }
}

function keptView(): View | null {
  try {
    const { screen, zoom } = JSON.parse(sessionStorage.getItem(key) ?? 'null') as View
    return Object.hasOwn(screens, screen) && zooms.includes(zoom) ? { screen, zoom } : null
  } catch {
    return null
  }
}
