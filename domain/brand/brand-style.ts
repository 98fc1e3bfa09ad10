import * as Type from 'typebox'
import { buttonStyles, fontSources, patternKinds, shapes } from './brand-style-look.ts'
import { buttonSizes } from '../drafts/button-size.ts'
import { closed, Maybe } from '../api/call.ts'

const Family = Type.String({ minLength: 1, maxLength: 100 })
const Weight = Type.Integer({ minimum: 1, maximum: 1000 })
const FontStyle = Type.Enum(['normal', 'italic', 'oblique'])
/** "#7a4a2b": the colour as it looks on its background, so without transparency. */
const Colour = Type.String({ pattern: '^#[0-9a-f]{6}$' })

export const Font = Type.Object({ family: Family, weight: Weight, style: FontStyle }, closed)
export type Font = Type.Static<typeof Font>

/**
 * A font that the shop's pages can use. A variable font has one entry for each hundred of its
 * weights.
 */
export const FontEntry = Type.Object(
  {
    family: Family,
    style: FontStyle,
    weight: Weight,
    source: Type.Enum([...fontSources]),
    /** The stylesheet that declares it; null for a font of the visitor's device. */
    stylesheet: Maybe(Type.String({ maxLength: 2048 })),
  },
  closed,
)
export type FontEntry = Type.Static<typeof FontEntry>

/**
 * How one kind of section of the shop looks. A section without buttons gets the look of the shop's
 * other buttons.
 */
export const Pattern = Type.Object(
  {
    kind: Type.Enum([...patternKinds]),
    colours: Type.Object(
      {
        background: Colour,
        heading: Colour,
        text: Colour,
        border: Maybe(Colour),
        /** Null when the button has no fill. */
        buttonBackground: Maybe(Colour),
        buttonText: Colour,
        buttonBorder: Maybe(Colour),
      },
      closed,
    ),
    /** Corners of the section's box or picture; of its button when it has neither. */
    shape: Type.Enum([...shapes]),
    buttonStyle: Type.Enum([...buttonStyles]),
    buttonSize: Type.Enum([...buttonSizes]),
  },
  closed,
)
export type Pattern = Type.Static<typeof Pattern>

export const patternLimit = 12,
  fontLimit = 200

export const BrandStyle = Type.Object(
  {
    /** Null until it is saved. */
    id: Maybe(Type.String({ maxLength: 64 })),
    title: Font,
    body: Font,
    label: Font,
    buttonText: Font,
    patterns: Type.Array(Pattern, { maxItems: patternLimit }),
    updatedAt: Maybe(Type.String({ maxLength: 40 })),
  },
  closed,
)
export type BrandStyle = Type.Static<typeof BrandStyle>
