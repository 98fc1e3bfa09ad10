import { useState } from 'react'
import { Icon } from './icon.tsx'

export type PreviewFrameProps = {
  /** Signed links to the same page, control first. */
  urls: [control: string, variant: string]
  titles: [control: string, variant: string]
  /** Without the signature: what the address line shows. */
  address: string
}

/**
 * The shop's own page in a frame, in either arm and on either screen. The arms are links into the frame and the
 * screens are radio buttons that only the stylesheet reads, so both work before any script does.
 */
export function PreviewFrame({ urls, titles, address }: PreviewFrameProps) {
  const [arm, setArm] = useState(1)
  return (
    <div className="frame">
      <div className="frame-bar">
        <div className="segmented" role="group" aria-label="Arm">
          {urls.map((url, i) => (
            <a key={i} href={url} target="preview" aria-current={i === arm ? 'true' : undefined} title={titles[i]} onClick={() => setArm(i)}>
              <span className={i === 0 ? 'arm-mark arm-mark-control' : 'arm-mark'} />{i === 0 ? 'Control' : 'Variant'}
            </a>
          ))}
        </div>
        <span className="frame-address">{address}</span>
        <div className="segmented" role="radiogroup" aria-label="Screen">
          <label title="Desktop"><input type="radio" name="screen" value="desktop" defaultChecked aria-label="Desktop" /><Icon name="desktop" /></label>
          <label title="Phone"><input type="radio" name="screen" value="phone" aria-label="Phone" /><Icon name="phone" /></label>
        </div>
      </div>
      {/* The shop's scripts run, on the shop's own origin; they can neither leave the frame nor reach this page. */}
      <iframe name="preview" src={urls[1]} title={`Preview of ${address}`} sandbox="allow-scripts allow-same-origin allow-forms" />
    </div>
  )
}
