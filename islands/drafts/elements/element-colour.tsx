/** @jsxImportSource react */
import { hexOf, parseColour } from '../../../domain/colour.ts'
import type { BrandPalette } from '../../../domain/brand/brand-palette.ts'
import { ElementField, type StyleFieldProps, useTyped } from './element-field.tsx'

type ColourFieldProps = StyleFieldProps & {
  palette: BrandPalette['colours']
  /** Whether the property may have no colour. */
  mayBeNone?: boolean
  warning?: string | null
}

/**
 * A field for a colour: the brand's colours come first, any other is picked with the browser's
 * picker or typed.
 */
export function ColourField({ palette, mayBeNone, warning, ...props }: ColourFieldProps) {
  const { shown, now, problem, was, write, leave, reset } = useTyped(props)
  const { label } = props.field
  const colour = parseColour(now)
  const choose = (value: string): void => {
    write(value)
    leave()
  }
  return (
    <ElementField
      label={label}
      was={was}
      problem={problem}
      warning={warning ?? null}
      onReset={reset}
      control={bound => (
        <>
          <span className="swatch-input">
            <input
              type="color"
              aria-label={`Pick: ${label.toLowerCase()}`}
              value={colour && colour.a > 0 ? hexOf(colour) : '#ffffff'}
              onChange={e => choose(e.currentTarget.value)}
            />
            <input
              {...bound}
              className="code"
              autoComplete="off"
              spellCheck={false}
              value={shown}
              onChange={e => write(e.currentTarget.value)}
              onBlur={leave}
            />
          </span>
          {(palette.length > 0 || mayBeNone) && (
            <span className="palette" role="group" aria-label={`${label}: colours of your brand`}>
              {palette.map(({ value, label: name }) => (
                <button
                  key={value}
                  type="button"
                  className="palette-colour"
                  aria-label={`${name}, ${value}`}
                  title={`${name} ${value}`}
                  aria-pressed={now === value}
                  onClick={() => choose(value)}
                >
                  <svg viewBox="0 0 16 16" aria-hidden="true">
                    <rect width={16} height={16} rx={4} fill={value} />
                  </svg>
                </button>
              ))}
              {mayBeNone && (
                <button
                  type="button"
                  className="palette-colour"
                  aria-label="No colour"
                  title="No colour"
                  aria-pressed={now === 'transparent'}
                  onClick={() => choose('transparent')}
                >
                  <svg viewBox="0 0 16 16" aria-hidden="true">
                    <path d="M2 14 14 2" stroke="currentColor" strokeWidth={1.5} />
                  </svg>
                </button>
              )}
            </span>
          )}
        </>
      )}
    />
  )
}
