/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import {
  sizeWords,
  zooms,
  zoomWords,
  type Screen,
  type Zoom,
} from '../../../domain/drafts/preview-size.ts'
import { Icon } from '../../icon.tsx'
import { PickerBar } from './picker-bar.tsx'
import { useFrames } from './picker-frames.ts'
import { openSession } from './picker-session.ts'
import { picker, usePicker } from './picker-store.ts'
import { sharedPlace, type SharedPlace } from './preview-place.ts'
import { usePreviewView } from './preview-view.ts'
import { ScaledPage, scrollTogether, type View } from './scaled-page.tsx'

export type PreviewFrameProps = {
  /** Signed links to the same page, control first. */
  urls: [control: string, variant: string]
  titles: [control: string, variant: string]
  /** The address without its signature, for the address line. */
  address: string
  /**
   * Paths of the arms' pages, when each arm is a separate page. Both are then shown from the start.
   */
  paths?: [control: string, variant: string]
}
type Shown = 'control' | 'variant' | 'both'

/**
 * The shop's own page in a frame, in either arm or both, at the width of a desktop's or a phone's
 * screen. The arms are links into the frame, and the screens are radio buttons that the stylesheet
 * reads, so these work before any script runs.
 */
export function PreviewFrame({ urls, titles, address, paths }: PreviewFrameProps) {
  const [shown, setShown] = useState<Shown>(paths ? 'both' : 'variant')
  const [isBeside, setBeside] = useState<'no' | 'open' | 'blocked'>('no')
  const [scale, setScale] = useState(1)
  const frame = useRef<HTMLIFrameElement>(null),
    pages = useRef<HTMLDivElement>(null),
    bar = useRef<HTMLDivElement>(null)
  const [place] = useState(sharedPlace)
  const { origin } = new URL(urls[1])
  const { isSilent, label, look, send } = useFrames(origin, frame, shown !== 'control', place)
  const { purpose, isAlive } = usePicker()
  const { view, isReady, change } = usePreviewView(
    () => bar.current!.querySelector<HTMLInputElement>('[name=screen]:checked')?.value ?? '',
  )
  useEffect(() => scrollTogether(pages.current!), [])
  useEffect(() => {
    bar.current!.querySelector<HTMLInputElement>(`[name=screen][value=${view.screen}]`)!.checked =
      true
  }, [view.screen])

  const showBoth = () => {
    if (shown === 'control') frame.current!.src = urls[1]
    setShown('both')
  }
  const openBeside = () => {
    // The opener of the window is this page, so messages and checks are the same as with the frame.
    const beside = window.open(urls[1], 'twinshelf-beside', 'popup,width=1180,height=860')
    setBeside(beside ? 'open' : 'blocked')
    if (beside) look(beside)
  }
  return (
    <div className="frame">
      <div className="frame-bar" ref={bar}>
        <div className="segmented" role="group" aria-label="Arm">
          {urls.map((url, i) => (
            <a
              key={i}
              href={url}
              target="preview"
              aria-current={shown === (['control', 'variant'] as const)[i] ? 'true' : undefined}
              title={titles[i]}
              onClick={() => setShown(i === 0 ? 'control' : 'variant')}
            >
              <span className={i === 0 ? 'arm-mark arm-mark-control' : 'arm-mark'} />
              {i === 0 ? 'Control' : 'Variant'}
            </a>
          ))}
          <button
            type="button"
            aria-pressed={shown === 'both'}
            disabled={!isReady}
            onClick={showBoth}
          >
            Side by side
          </button>
        </div>
        <span className="frame-address">{address}</span>
        <Size view={view} isReady={isReady} scale={scale} onChange={change} />
      </div>
      {purpose && (
        <PickerBar
          isAlive={isAlive}
          label={label}
          onStep={to => send({ type: 'step', to })}
          onStop={picker.stop}
        />
      )}
      {isSilent && <Silence beside={isBeside} onOpen={openBeside} />}
      <div className="frame-pages" ref={pages}>
        {shown === 'both' && (
          <ControlPage
            url={urls[0]}
            path={paths?.[0]}
            origin={origin}
            title={paths ? `Control: ${paths[0]}` : `Control of ${address}`}
            place={place}
            view={view}
          />
        )}
        <ScaledPage
          {...view}
          {...(shown === 'both' && { caption: 'Variant', path: paths?.[1] })}
          frame={frame}
          name="preview"
          src={urls[1]}
          title={paths ? `Preview of ${paths[1]}` : `Preview of ${address}`}
          onScale={setScale}
        />
      </div>
    </div>
  )
}

type SizeProps = {
  view: View
  isReady: boolean
  scale: number
  onChange: (part: Partial<View>) => void
}
/**
 * Chooses the screen that the page is drawn for, and the zoom. These controls are not fields of the
 * form around them.
 */
function Size({ view: { screen, zoom }, isReady, scale, onChange }: SizeProps) {
  // Not controlled by React, so that a choice made before the script runs is kept.
  const choose = (to: Screen) =>
    ({
      type: 'radio',
      name: 'screen',
      form: 'none',
      value: to,
      defaultChecked: to === 'desktop',
      onChange: () => onChange({ screen: to }),
    }) as const
  return (
    <div className="frame-size">
      <span role="status">{isReady && sizeWords(screen, scale)}</span>
      <select
        className="needs-script"
        aria-label="Zoom"
        form="none"
        value={zoom}
        disabled={!isReady}
        onChange={e => onChange({ zoom: e.currentTarget.value as Zoom })}
      >
        {zooms.map(each => (
          <option key={each} value={each}>
            {zoomWords[each]}
          </option>
        ))}
      </select>
      <div className="segmented" role="radiogroup" aria-label="Screen">
        <label title="Desktop">
          <input {...choose('desktop')} aria-label="Desktop" />
          <Icon name="desktop" />
        </label>
        <label title="Phone">
          <input {...choose('phone')} aria-label="Phone" />
          <Icon name="phone" />
        </label>
      </div>
    </div>
  )
}

type ControlPageProps = {
  url: string
  path: string | undefined
  origin: string
  title: string
  place: SharedPlace
  view: View
}
/**
 * The control beside the variant. It shows no changes, and nothing can be picked in it. It is told
 * that an editor is there, and scrolls together with the variant.
 */
function ControlPage({ url, path, origin, title, place, view }: ControlPageProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const session = openSession(origin, {
      changes: () => [],
      place: place.now,
      onAlive: () => {},
      onMessage: message => {
        if (message.type === 'scrolled') place.moved(session, message.at)
      },
    })
    session.look(frame.current!.contentWindow)
    const leave = place.join(session)
    return () => {
      leave()
      session.close()
    }
  }, [origin, place])
  return (
    <ScaledPage {...view} caption="Control" path={path} frame={frame} src={url} title={title} />
  )
}

function Silence({ beside, onOpen }: { beside: 'no' | 'open' | 'blocked'; onOpen: () => void }) {
  return (
    <div className="banner" data-tone="warn" role="status">
      <Icon name="warning" />
      <div>
        <strong>The shop’s page does not answer.</strong>{' '}
        {beside === 'no' &&
          'Your shop may not allow its pages inside another page. Open the preview in a new window: everything else works the same.'}
        {beside === 'open' &&
          'The other window does not answer either. Check that the script is on the shop. Until then, type each selector.'}
        {beside === 'blocked' &&
          'Your browser blocked the window. Allow pop-ups from this page and try again.'}
        <button type="button" className="secondary small" onClick={onOpen}>
          Open in a window
        </button>
      </div>
    </div>
  )
}
