import type { BrandStyle, Font, FontEntry, Pattern } from '../../domain/brand/brand-style.ts'
import type { FontRole } from '../../domain/brand/brand-style-form.ts'
import type { Shape } from '../../domain/brand/brand-style-look.ts'
import type { ButtonSize } from '../../domain/drafts/button-size.ts'

type Fonts = Pick<BrandStyle, FontRole>

/** What each kind of pattern is. */
export const kindWords: Record<Pattern['kind'], string> = {
  Content: 'Sections of text under a heading.',
  Product: 'Cards in a list of products.',
  Highlight: 'Sections on a background of their own.',
  Unknown: 'Other sections with a heading or a button.',
}
export const shapeWords: Record<Shape, string> = {
  None: 'None',
  SemiRound: 'Semi-round',
  Round: 'Round',
}
export const sizeWords: Record<ButtonSize, string> = {
  large: 'Large',
  medium: 'Medium',
  small: 'Small',
}
export const sourceWords: Record<FontEntry['source'], string> = {
  theme: 'Theme',
  web: 'Font host',
  system: 'Visitor’s device',
}
/** Turns "Product-2" into "Product 2". */
export const patternWords = (name: string): string => name.replace('-', ' ')
export const fontWords = ({ family, weight, style }: Font): string =>
  `${family}, ${weight}${style === 'normal' ? '' : ` ${style}`}`

const corners: Record<Shape, number> = { None: 0, SemiRound: 8, Round: 28 }
const heights: Record<ButtonSize, number> = { large: 50, medium: 42, small: 32 }
const widths: Record<ButtonSize, number> = { large: 148, medium: 124, small: 100 }
const width = 360,
  height = 232,
  inset = 14

/**
 * A drawing of a section in this pattern, with the shop's colours, and with its fonts if this
 * device has them.
 */
export function PatternSample({ fonts, pattern }: { fonts: Fonts; pattern: Pattern }) {
  const { kind, colours, shape, buttonStyle, buttonSize } = pattern
  const corner = corners[shape]
  // A product's card has its picture to the left of its text.
  const left = kind === 'Product' ? 158 : 38
  return (
    <svg
      class="brand-sample"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Sample: ${buttonStyle.toLowerCase()} ${buttonSize} button, shape ${shapeWords[shape].toLowerCase()}, ${colours.heading} heading on ${colours.background}`}
    >
      <rect
        x={inset}
        y={inset}
        width={width - 2 * inset}
        height={height - 2 * inset}
        rx={corner}
        fill={colours.background}
        stroke={colours.border ?? 'none'}
      />
      {kind === 'Product' && (
        <rect
          x={34}
          y={38}
          width={100}
          height={height - 76}
          rx={Math.min(corner, 20)}
          fill={colours.text}
          fill-opacity={0.14}
        />
      )}
      <text x={left} y={58} font-size={12} fill={colours.text} {...setIn(fonts.label)}>
        Label
      </text>
      <text x={left} y={91} font-size={25} fill={colours.heading} {...setIn(fonts.title)}>
        Title
      </text>
      <text x={left} y={121} font-size={14} fill={colours.text} {...setIn(fonts.body)}>
        Body text, as it is read.
      </text>
      <SampleButton
        x={left}
        y={144}
        font={fonts.buttonText}
        {...{ colours, shape, buttonStyle, buttonSize }}
      />
    </svg>
  )
}

type ButtonProps = Pick<Pattern, 'colours' | 'shape' | 'buttonStyle' | 'buttonSize'> & {
  x: number
  y: number
  font: Font
}
function SampleButton({ x, y, font, colours, shape, buttonStyle, buttonSize }: ButtonProps) {
  const high = heights[buttonSize],
    size = buttonSize === 'small' ? 13 : 14
  const isBox = buttonStyle === 'Filled' || buttonStyle === 'Outline'
  const words = { y: y + high / 2 + 5, 'font-size': size, fill: colours.buttonText, ...setIn(font) }
  if (!isBox)
    return (
      <text
        x={x}
        {...words}
        text-decoration={buttonStyle === 'Underline' ? 'underline' : undefined}
      >
        Button
      </text>
    )
  const wide = widths[buttonSize]
  return (
    <>
      <rect
        x={x}
        y={y}
        width={wide}
        height={high}
        rx={shape === 'Round' ? high / 2 : Math.min(corners[shape], 6)}
        fill={(buttonStyle === 'Filled' && colours.buttonBackground) || 'none'}
        stroke={colours.buttonBorder ?? 'none'}
        stroke-width={1.5}
      />
      <text x={x + wide / 2} {...words} text-anchor="middle">
        Button
      </text>
    </>
  )
}

/** A line of text in a font, where this device has it. */
export const FontSample = ({ font }: { font: Font }) => (
  <svg
    class="font-sample"
    viewBox="0 0 260 34"
    role="img"
    aria-label={`Sample of ${fontWords(font)}`}
  >
    <text x={0} y={24} font-size={20} {...setIn(font)}>
      A shelf of quiet things
    </text>
  </svg>
)

export const Swatch = ({ colour }: { colour: string }) => (
  <svg class="swatch" viewBox="0 0 16 16" aria-hidden="true">
    <rect width={16} height={16} rx={3} fill={colour} />
  </svg>
)

/**
 * SVG attributes instead of inline styles, which the content security policy forbids. The family's
 * name loses the characters that could end its quotes.
 */
const setIn = ({ family, weight, style }: Font) => ({
  'font-family': `"${family.replace(/["\\\n\r\f]/g, '')}", ${/mono|courier|consol/i.test(family) ? 'monospace' : /georgia|times|garamond|serif$|slab|playfair|lora|merriweather/i.test(family) && !/sans/i.test(family) ? 'serif' : 'sans-serif'}`,
  'font-weight': weight,
  'font-style': style,
})
