/** @jsxImportSource react */
import { useEffect, useRef, type RefObject } from 'react'
import { pageSize, type Screen, type Zoom } from '../../../domain/drafts/preview-size.ts'

export type View = { screen: Screen; zoom: Zoom }
type ScaledPageProps = View & {
  frame: RefObject<HTMLIFrameElement | null>
  /** Stands over the page where there are two. */
  caption?: 'Control' | 'Variant'
  /** Of the page, beside the caption. */
  path?: string | undefined
  name?: string
  src: string
  title: string
  /** Told whenever the page is shown at another scale. */
  onScale?: (scale: number) => void
}

/** The shop's scripts run, on the shop's own origin; they can neither leave the frame nor reach this page. */
const sandbox = 'allow-scripts allow-same-origin allow-forms'

/**
 * A page of the shop, drawn as wide as the screen it stands for and scaled to the room there is. A transform of the
 * frame scales what is pointed at as well, so the page hears of its own pixels. Lengths are set by script: the
 * policy of our pages allows no inline styles. Without a script the page has its width and the room scrolls.
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
      {/* Larger than the room, it is scrolled by the keys, too. */}
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

/** Rooms beside each other scroll sideways together, too. */
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
