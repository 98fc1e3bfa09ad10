/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'
import { PickerBar } from './picker-bar.tsx'
import { useFrames } from './picker-frames.ts'
import { openSession } from './picker-session.ts'
import { picker, usePicker } from './picker-store.ts'

export type PreviewFrameProps = {
  /** Signed links to the same page, control first. */
  urls: [control: string, variant: string]
  titles: [control: string, variant: string]
  /** Without the signature: what the address line shows. */
  address: string
}
type Shown = 'control' | 'variant' | 'both'
/** The shop's scripts run, on the shop's own origin; they can neither leave the frame nor reach this page. */
const sandbox = 'allow-scripts allow-same-origin allow-forms'

/**
 * The shop's own page in a frame, in either arm or both, and on either screen. The arms are links into the frame and
 * the screens are radio buttons that only the stylesheet reads, so these work before any script does.
 */
export function PreviewFrame({ urls, titles, address }: PreviewFrameProps) {
  const [shown, setShown] = useState<Shown>('variant')
  const [isReady, setReady] = useState(false)
  const [isBeside, setBeside] = useState<'no' | 'open' | 'blocked'>('no')
  const frame = useRef<HTMLIFrameElement>(null)
  const { origin } = new URL(urls[1])
  const { isSilent, label, look, send } = useFrames(origin, frame, shown !== 'control')
  const { purpose, isAlive } = usePicker()
  useEffect(() => setReady(true), [])

  const showBoth = () => {
    if (shown === 'control') frame.current!.src = urls[1]
    setShown('both')
  }
  const openBeside = () => {
    // Its opener is this page: the same talk as with the frame, with the same checks.
    const beside = window.open(urls[1], 'twinshelf-beside', 'popup,width=1180,height=860')
    setBeside(beside ? 'open' : 'blocked')
    if (beside) look(beside)
  }
  return (
    <div className="frame">
      <div className="frame-bar">
        <div className="segmented" role="group" aria-label="Arm">
          {urls.map((url, i) => (
            <a key={i} href={url} target="preview" aria-current={shown === (['control', 'variant'] as const)[i] ? 'true' : undefined} title={titles[i]} onClick={() => setShown(i === 0 ? 'control' : 'variant')}>
              <span className={i === 0 ? 'arm-mark arm-mark-control' : 'arm-mark'} />{i === 0 ? 'Control' : 'Variant'}
            </a>
          ))}
          <button type="button" aria-pressed={shown === 'both'} disabled={!isReady} onClick={showBoth}>Side by side</button>
        </div>
        <span className="frame-address">{address}</span>
        <div className="segmented" role="radiogroup" aria-label="Screen">
          <label title="Desktop"><input type="radio" name="screen" value="desktop" defaultChecked aria-label="Desktop" /><Icon name="desktop" /></label>
          <label title="Phone"><input type="radio" name="screen" value="phone" aria-label="Phone" /><Icon name="phone" /></label>
        </div>
      </div>
      {purpose && <PickerBar isAlive={isAlive} label={label} onStep={to => send({ type: 'step', to })} onStop={picker.stop} />}
      {isSilent && <Silence beside={isBeside} onOpen={openBeside} />}
      <div className="frame-pages">
        {shown === 'both' && <ControlFrame url={urls[0]} origin={origin} title={`Control of ${address}`} />}
        <iframe ref={frame} name="preview" src={urls[1]} title={`Preview of ${address}`} sandbox={sandbox} />
      </div>
    </div>
  )
}

/** The control beside the variant. It shows no changes and is not picked from, so it is only told that an editor is there. */
function ControlFrame({ url, origin, title }: { url: string; origin: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const session = openSession(origin, { changes: () => [], onAlive: () => {}, onMessage: () => {} })
    session.look(frame.current!.contentWindow)
    return session.close
  }, [origin])
  return <iframe ref={frame} src={url} title={title} sandbox={sandbox} />
}

function Silence({ beside, onOpen }: { beside: 'no' | 'open' | 'blocked'; onOpen: () => void }) {
  return (
    <div className="banner" data-tone="warn" role="status">
      <Icon name="warning" />
      <div>
        <strong>The shop’s page does not answer.</strong> {beside === 'no' && 'It may not let itself be shown in a frame. Open it in a window beside this one; everything else works the same.'}
        {beside === 'open' && 'The window beside this one does not answer either. Check that the script is on the shop; until then, write each selector by hand.'}
        {beside === 'blocked' && 'Your browser stopped the window. Allow windows from this page and try again.'}
        <button type="button" className="secondary small" onClick={onOpen}>Open beside</button>
      </div>
    </div>
  )
}
