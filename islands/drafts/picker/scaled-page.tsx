/** @jsxImportSource react */
import { useEffect, useRef, type RefObject } from 'react'
import { pageSize, type Screen, type Zoom } from '../../../domain/drafts/preview-size.ts'

export type View = { screen: Screen; zoom: Zoom }
type ScaledPageProps = View & {
  frame: RefObject<HTMLIFrameElement | null>
  /** Shown over the page when there are two pages. */
  caption?: 'Control' | 'Variant'
  /** The page's path, shown beside the caption. */
  path?: string | undefined
  name?: string
  src: string
  title: string
  /** Called whenever the page gets another scale. */
  onScale?: (scale: number) => void
}

/**
 * The shop's scripts run, with the shop's own origin. They can neither leave the frame nor reach
 * our page.
 */
const sandbox = 'allow-scripts allow-same-origin allow-forms'

/**
 * A page of the shop, drawn as wide as the chosen screen and scaled to the available room. The
 * transform of the frame scales the pointer's position as well, so the page gets positions in its
 * own pixels. Lengths are set by script, because the policy of our pages allows no inline styles.
 * Without a script the page has its full width and the room scrolls.
 */
export function ScaledPage({
  screen,
  zoom,
  frame,
  caption,
  path,
  name,
  src,
  title,
  onScale,
}: ScaledPageProps) {
  const room = useRef<HTMLDivElement>(null),
    sheet = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { clientWidth, clientHeight } = room.current!
    let last = { width: clientWidth, height: clientHeight }
    const fit = () => {
      const { scale, width, height } = pageSize(screen, zoom, last)
      Object.assign(sheet.current!.style, {
        width: `${Math.floor(width * scale)}px`,
        height: `${Math.floor(height * scale)}px`,
      })
      Object.assign(frame.current!.style, {
        width: `${width}px`,
        height: `${height}px`,
        transform: `scale(${scale})`,
      })
      onScale?.(scale)
    }
    fit()
    const watch = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = room.current!
      if (width === last.width && height === last.height) return
      last = { width, height }
      fit()
    })
    watch.observe(room.current!)
    return () => watch.disconnect()
  }, [screen, zoom, onScale])
  return (
    <div className="frame-page">
      {caption && (
        <p className="frame-caption">
          <span className={caption === 'Control' ? 'arm-mark arm-mark-control' : 'arm-mark'} />
          {caption}
          {path && <code>{path}</code>}
        </p>
      )}
      {/* When the page is larger than the room, the keys can scroll it too. */}
      <div
        className="frame-room"
        ref={room}
        data-zoom={zoom}
        {...(zoom !== 'fit' && { tabIndex: 0, role: 'group', 'aria-label': title })}
      >
        <div className="frame-sheet" ref={sheet}>
          <iframe ref={frame} name={name} src={src} title={title} sandbox={sandbox} />
        </div>
      </div>
    </div>
  )
}

/** Makes rooms beside each other scroll sideways together. Returns a function that stops this. */
export function scrollTogether(pages: HTMLElement): () => void {
  const together = (event: Event): void => {
    const from = event.target
    if (!(from instanceof HTMLElement)) return
    for (const room of pages.querySelectorAll<HTMLElement>('.frame-room')) {
      if (room !== from && room.scrollLeft !== from.scrollLeft) room.scrollLeft = from.scrollLeft
    }
  }
  pages.addEventListener('scroll', together, true)
  return () => pages.removeEventListener('scroll', together, true)
}
