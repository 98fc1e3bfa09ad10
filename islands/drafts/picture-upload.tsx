/** @jsxImportSource react */
import { createContext, useEffect, useId, useRef, useState, type DragEvent } from 'react'
import { pictureLimits, pictureTypes, pictureWords } from '../../domain/drafts/pictures/picture.ts'
import { Icon } from '../icon.tsx'
import { sendPicture } from './picture-send.ts'

/**
 * Where a draft's files are uploaded to (paths.draftUploads), and the origin of the shop, whose
 * pictures our pages may show.
 */
export type Uploads = { to: string; shop: string }
/** For the draft that an island edits; null when nothing can be uploaded. */
export const UploadsOf = createContext<Uploads | null>(null)

export type PictureUploadProps = Uploads & {
  /** What the picture is for, as the field beside it says: "Picture". */
  label: string
  /**
   * Address of the picture that is shown; '' for none. An address that begins with a slash is on
   * the shop.
   */
  address: string
  /** Called with the address of an uploaded picture. The caller has the field for it. */
  onAddress: (address: string) => void
}
type Sending =
  | { is: 'no' | 'done' }
  | { is: 'sending'; part: number }
  | { is: 'failed'; why: string }

/**
 * Shows the picture, and uploads another from this computer, chosen or dropped. Without a script
 * the merchant types its address.
 */
export function PictureUpload({ to, shop, label, address, onAddress }: PictureUploadProps) {
  const id = useId()
  const [sending, setSending] = useState<Sending>({ is: 'no' })
  const [isOver, setOver] = useState(false)
  const stop = useRef<(() => void) | null>(null)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // A picture may have been chosen before this code was there.
    take()
    return () => stop.current?.()
  }, [])

  const send = (file: File | undefined): void => {
    if (!file) return
    stop.current?.()
    if (file.size > pictureLimits.bytes)
      return setSending({ is: 'failed', why: pictureWords.large })
    setSending({ is: 'sending', part: 0 })
    stop.current = sendPicture(to, file, {
      onProgress: part => setSending({ is: 'sending', part }),
      onDone: picture => {
        setSending({ is: 'done' })
        onAddress(picture.address)
      },
      onFailed: why => setSending({ is: 'failed', why }),
    })
  }
  const cancel = (): void => {
    stop.current?.()
    setSending({ is: 'no' })
  }
  const take = (): void => {
    send(input.current?.files?.[0])
    if (input.current) input.current.value = ''
  }
  const onDrag = (event: DragEvent, over: boolean): void => {
    event.preventDefault()
    setOver(over)
  }
  return (
    <div
      className="picture-upload needs-script"
      role="group"
      aria-label={`Upload: ${label}`}
      data-over={isOver || undefined}
      onDragOver={e => onDrag(e, true)}
      onDragLeave={e => onDrag(e, false)}
      onDrop={e => {
        onDrag(e, false)
        send(e.dataTransfer.files[0])
      }}
    >
      <Shown address={address} shop={shop} />
      <input
        id={`${id}-file`}
        className="visually-hidden"
        type="file"
        accept={pictureTypes}
        aria-describedby={`${id}-help`}
        ref={input}
        onChange={take}
      />
      <label className="button secondary small" htmlFor={`${id}-file`}>
        <Icon name="picture" />
        Upload a picture
      </label>
      <span className="field-help" id={`${id}-help`}>
        Or drop it here. PNG, JPEG, WebP or AVIF, up to 5 MB.
      </span>
      {sending.is === 'sending' && (
        <div className="row">
          <progress value={sending.part} max={1} aria-label="Uploading the picture" />
          <button type="button" className="secondary small" onClick={cancel}>
            Cancel
          </button>
        </div>
      )}
      <span role="status" className={sending.is === 'failed' ? 'field-error' : 'visually-hidden'}>
        {sending.is === 'failed' && (
          <>
            <Icon name="warning" />
            {sending.why}
          </>
        )}
        {sending.is === 'done' && 'The picture is uploaded.'}
      </span>
    </div>
  )
}

/** The picture itself. Our pages may show only pictures of the shop, so any other is left out. */
function Shown({ address, shop }: { address: string; shop: string }) {
  const [broken, setBroken] = useState('')
  if (!address.trim() || broken === address || !URL.canParse(address, shop)) return null
  const { origin, href } = new URL(address, shop)
  return origin === shop ? <img src={href} alt="" onError={() => setBroken(address)} /> : null
}
