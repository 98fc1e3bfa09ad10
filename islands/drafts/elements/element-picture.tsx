/** @jsxImportSource react */
import { useContext, useState } from 'react'
import { attributeValueProblem } from '../../../domain/drafts/safe-html.ts'
import { ElementField } from './element-field.tsx'
import { PictureUpload, UploadsOf } from '../picture-upload.tsx'

/** The control's value, and the variant's own value or null. */
export type Arms = { control: string; variant: string | null }
export type PictureFieldProps = {
  address: Arms
  /** null: this element has no alternative text of its own. */
  alt: Arms | null
  /** null restores the control's value. */
  onAddress: (address: string | null) => void
  onAlt: (alt: string | null) => void
}

/** The picture of an element: its address, and the text for people who do not see it. */
export function PictureField({ address, alt, onAddress, onAlt }: PictureFieldProps) {
  const uploads = useContext(UploadsOf)
  return (
    <>
      {uploads && (
        <PictureUpload
          {...uploads}
          label="Picture"
          address={address.variant ?? address.control}
          onAddress={onAddress}
        />
      )}
      <WordsField
        label="Picture address"
        arms={address}
        problemOf={attributeValueProblem}
        onSet={onAddress}
      />
      {alt && <WordsField label="Alt text" arms={alt} onSet={onAlt} />}
    </>
  )
}

type WordsFieldProps = {
  label: string
  arms: Arms
  area?: boolean
  problemOf?: (text: string) => string | null
  onSet: (text: string | null) => void
}
/** A text of the element. Emptying it restores the control's text. */
export function WordsField({ label, arms, area, problemOf, onSet }: WordsFieldProps) {
  const [typing, setTyping] = useState<string | null>(null)
  const shown = typing ?? arms.variant ?? arms.control
  const write = (text: string): void => {
    setTyping(text)
    if (text === arms.control || text.trim() === '') onSet(null)
    else if (!problemOf?.(text)) onSet(text)
  }
  return (
    <ElementField
      label={label}
      was={arms.variant === null ? null : arms.control ? `“${shortened(arms.control)}”` : 'none'}
      problem={typing === null ? null : (problemOf?.(typing) ?? null)}
      onReset={() => {
        setTyping(null)
        onSet(null)
      }}
      control={bound => {
        const shared = {
          ...bound,
          value: shown,
          maxLength: 20_000,
          onBlur: () => setTyping(null),
          onChange: (e: { currentTarget: { value: string } }) => write(e.currentTarget.value),
        }
        return area ? <textarea rows={2} {...shared} /> : <input autoComplete="off" {...shared} />
      }}
    />
  )
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
