/** @jsxImportSource react */
import { useEffect, useState } from 'react'
import { PictureUpload, type Uploads } from './picture-upload.tsx'

export type ContentPictureProps = Uploads & {
  label: string
  /** Id of the field that holds the picture's address. */
  field: string
  /** What the field holds when the page is loaded. */
  address: string
}

/**
 * The picture of a content setting: shows the one that its field names, and uploads another from
 * this computer. The field belongs to the form.
 */
export function ContentPicture({ to, shop, label, field, address }: ContentPictureProps) {
  const [shown, setShown] = useState(address)
  useEffect(() => {
    const input = fieldOf(field),
      read = (): void => setShown(input.value)
    read()
    input.addEventListener('input', read)
    return () => input.removeEventListener('input', read)
  }, [field])
  const write = (value: string): void => {
    const input = fieldOf(field)
    input.value = value
    // As if it were typed: the form saves itself on these events.
    for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
  }
  return (
    <>
      <PictureUpload to={to} shop={shop} label={label} address={shown} onAddress={write} />
      {shown.trim() !== '' && (
        <button
          type="button"
          className="link needs-script"
          aria-label={`Remove picture: ${label}`}
          onClick={() => write('')}
        >
          Remove picture
        </button>
      )}
    </>
  )
}

const fieldOf = (id: string): HTMLInputElement => document.getElementById(id) as HTMLInputElement
