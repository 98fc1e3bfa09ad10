/** @jsxImportSource react */
import { useState, type ReactNode } from 'react'
import type { BrandPalette } from '../../../domain/brand/brand-palette.ts'
import { contrastWarning, hexOf, over, parseColour } from '../../../domain/colour.ts'
import { type StyleField, styleFields, shownStyle } from '../../../domain/drafts/element-style.ts'
import type { Picked } from '../../../domain/drafts/picker-message.ts'
import { attributeValueProblem } from '../../../domain/drafts/safe-html.ts'
import type { ChangeKind } from '../../../domain/script/script-config.ts'
import type { Row, Setting } from '../changes-state.ts'
import { ColourField } from './element-colour.tsx'
import { ChoiceField, ElementField, LengthField } from './element-field.tsx'
import { PictureField, WordsField } from './element-picture.tsx'

type ElementControlsProps = {
  /** What the page reported about the element, as it is in the control. */
  picked: Picked
  rows: Row[]
  brand: BrandPalette
  /**
   * Reads and sets the variant's value of another element; setting null restores the control's
   * value.
   */
  beside: {
    valueOf: (selector: string, kind: ChangeKind, name: string) => string | null
    set: (selector: string, kind: ChangeKind, name: string, value: string | null) => void
  }
  onSet: (setting: Setting) => void
  onReset: (kind: ChangeKind, name?: string) => void
}

/**
 * The visual controls of one element. Each control that was used is one change; a reset removes
 * that change.
 */
export function ElementControls({
  picked,
  rows,
  brand,
  beside,
  onSet,
  onReset,
}: ElementControlsProps) {
  const valueOf = (kind: ChangeKind, name = ''): string | null =>
    rows.find(row => row.kind === kind && row.name.trim() === name)?.value ?? null
  const words =
    (kind: ChangeKind, name = '') =>
    (value: string | null): void =>
      value === null ? onReset(kind, name) : onSet({ kind, name, value })
  const attribute = (name: string): string =>
    picked.attributes.find(each => each.name === name)?.value ?? ''
  const of = ({ selector }: Picked['link'], kind: ChangeKind, name: string, control: string) => ({
    arms: { control, variant: beside.valueOf(selector, kind, name) },
    onSet: (value: string | null) => beside.set(selector, kind, name, value),
  })
  const { link, picture } = picked,
    inner = {
      image: of(picture, 'image', '', picture.address),
      alt: of(picture, 'attribute', 'alt', picture.alt),
    }
  const isHidden = valueOf('hide') !== null
  const isPicture = picked.tag === 'img' || picked.tag === 'picture'

  const style = (field: StyleField) => ({
    field,
    standing: picked.styles[field.read],
    value: valueOf('style', field.property),
    onReset: () => onReset('style', field.property),
    onSet: (css: string) => {
      onSet({ kind: 'style', name: field.property, value: css })
      // A border without a line style is not visible, whatever its width.
      if (
        field.property === 'border-width' &&
        picked.styles['border-top-style'] === 'none' &&
        valueOf('style', 'border-style') === null
      )
        onSet({ kind: 'style', name: 'border-style', value: 'solid' })
    },
  })
  const now = (property: string, read: keyof Picked['styles']): string =>
    valueOf('style', property) ?? picked.styles[read]
  const warning = isPicture ? null : contrastOf(picked, now)
  const fonts = [
    ...new Set([
      ...brand.fonts,
      ...picked.fonts,
      shownStyle(styleFields.type[1], picked.styles['font-family']),
      ...safeFonts,
    ]),
  ]
    .filter(Boolean)
    .map(family => ({ value: family, label: family }))
  const draw = (field: StyleField): ReactNode => {
    const props = { key: field.property, ...style(field) }
    const { key, ...rest } = props
    switch (field.control) {
      case 'colour':
        return (
          <ColourField
            key={key}
            {...rest}
            palette={brand.colours}
            mayBeNone={field.property === 'background-color'}
            warning={field.property === 'color' ? warning : null}
          />
        )
      case 'length':
        return <LengthField key={key} {...rest} />
      case 'font':
        return <ChoiceField key={key} {...rest} choices={fonts} />
      case 'choice':
        return <ChoiceField key={key} {...rest} choices={field.choices ?? []} />
    }
  }
  const isTouched = (fields: readonly StyleField[]): boolean =>
    fields.some(({ property }) => valueOf('style', property) !== null)
  return (
    <div className="element-controls">
      {picked.isPlain && (
        <WordsField
          area
          label="Text"
          arms={{ control: picked.text, variant: valueOf('text') }}
          onSet={words('text')}
        />
      )}
      {isPicture && (
        <PictureField
          address={{ control: picked.image, variant: valueOf('image') }}
          onAddress={words('image')}
          {...(picked.tag === 'img'
            ? {
                alt: { control: attribute('alt'), variant: valueOf('attribute', 'alt') },
                onAlt: words('attribute', 'alt'),
              }
            : { alt: picture.selector ? inner.alt.arms : null, onAlt: inner.alt.onSet })}
        />
      )}
      {picked.tag === 'a' && (
        <WordsField
          label="Link address"
          arms={{ control: attribute('href'), variant: valueOf('attribute', 'href') }}
          problemOf={attributeValueProblem}
          onSet={words('attribute', 'href')}
        />
      )}
      {picked.tag !== 'a' && link.selector !== '' && (
        <WordsField
          label="Link address"
          problemOf={attributeValueProblem}
          {...of(link, 'attribute', 'href', link.address)}
        />
      )}
      {!isPicture && picture.selector !== '' && (
        <PictureField
          address={inner.image.arms}
          onAddress={inner.image.onSet}
          alt={inner.alt.arms}
          onAlt={inner.alt.onSet}
        />
      )}
      {!isPicture && (
        <Part title="Text style" isOpen isTouched={isTouched(styleFields.type)}>
          {styleFields.type.map(draw)}
        </Part>
      )}
      <Part title="Background and corners" isOpen isTouched={isTouched(styleFields.box)}>
        {styleFields.box.map(draw)}
      </Part>
      <Part title="Spacing" isTouched={isTouched([...styleFields.padding, ...styleFields.margin])}>
        <fieldset className="element-sides">
          <legend>Inside (padding)</legend>
          {styleFields.padding.map(draw)}
        </fieldset>
        <fieldset className="element-sides">
          <legend>Outside (margin)</legend>
          {styleFields.margin.map(draw)}
        </fieldset>
      </Part>
      <Part title="Border" isTouched={isTouched(styleFields.border)}>
        {styleFields.border.map(draw)}
      </Part>
      <ElementField
        label="Visibility"
        was={isHidden ? 'visible' : null}
        onReset={() => onReset('hide')}
        control={bound => (
          <select
            {...bound}
            value={isHidden ? 'hidden' : 'visible'}
            onChange={e =>
              e.currentTarget.value === 'hidden'
                ? onSet({ kind: 'hide', name: '', value: '' })
                : onReset('hide')
            }
          >
            <option value="visible">Visible</option>
            <option value="hidden">Hidden</option>
          </select>
        )}
      />
    </div>
  )
}

/** Fonts that nearly every device has. */
const safeFonts = ['Arial', 'Georgia', 'Verdana', 'system-ui']

/**
 * A group of fields. It is open at first if `isOpen` is set or if one of its fields was changed.
 */
function Part({
  title,
  isOpen,
  isTouched,
  children,
}: {
  title: string
  isOpen?: boolean
  isTouched: boolean
  children: ReactNode
}) {
  const [open, setOpen] = useState(isOpen || isTouched)
  return (
    <details className="element-part" open={open} onToggle={e => setOpen(e.currentTarget.open)}>
      <summary>
        {title}
        {isTouched && (
          <span className="element-dot" title="Changed">
            <span className="visually-hidden">, changed</span>
          </span>
        )}
      </summary>
      <div className="element-fields">{children}</div>
    </details>
  )
}

type Now = (property: string, read: keyof Picked['styles']) => string
function contrastOf({ ground, styles }: Picked, now: Now): string | null {
  const back = parseColour(ground),
    own = parseColour(now('background-color', 'background-color'))
  const seen = own && own.a === 1 ? hexOf(own) : own && back ? hexOf(over(own, back)) : ''
  const pixels =
    /^([\d.]+)px$/.exec(now('font-size', 'font-size')) ?? /^([\d.]+)px$/.exec(styles['font-size'])
  return contrastWarning(
    now('color', 'color'),
    seen,
    Number(pixels?.[1] ?? 16),
    Number(now('font-weight', 'font-weight')) || 400,
  )
}
