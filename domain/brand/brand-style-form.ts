import type { BrandStyle, Font, FontEntry, Pattern } from './brand-style.ts'
import { buttonStyles, type ButtonStyle, patternKinds, shapes } from './brand-style-look.ts'
import { type ButtonSize, buttonSize } from '../drafts/button-size.ts'
import type { Posted } from '../posted.ts'
import type { FieldProblem } from '../problem.ts'

/** The uses of a font in the brand style, in the order of a page. */
export const fontRoles = {
  title: 'Title',
  body: 'Body',
  label: 'Label',
  buttonText: 'Button text',
} as const
export type FontRole = keyof typeof fontRoles
export const fontRoleNames = Object.keys(fontRoles) as FontRole[]

/**
 * The colours of a pattern. `without` is the label of the box that removes the colour; a colour
 * that has no such label is required.
 */
export const colourFields = {
  background: { label: 'Background' },
  heading: { label: 'Heading' },
  text: { label: 'Text' },
  border: { label: 'Border', without: 'No border' },
  buttonBackground: { label: 'Button', without: 'No fill' },
  buttonText: { label: 'Button text' },
  buttonBorder: { label: 'Button border', without: 'No border' },
} as const satisfies Record<keyof Pattern['colours'], { label: string; without?: string }>
export type ColourField = keyof typeof colourFields
export const colourNames = Object.keys(colourFields) as ColourField[]

/**
 * The name of each pattern in addresses: its kind, with a number from the second one of that kind
 * ("Product", "Product-2").
 */
export function patternNames(patterns: readonly Pick<Pattern, 'kind'>[]): string[] {
  const counts = new Map<string, number>()
  return patterns.map(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count === 1 ? kind : `${kind}-${count}`
  })
}
/** Whether a text has the form of a pattern's name. */
export const isPatternName = (name: string): boolean => patternName.test(name)
const patternName = new RegExp(`^(?:${patternKinds.join('|')})(?:-(?:[2-9]|1[0-2]))?$`)

/** The fields of a pattern's form, as typed. */
export type PatternForm = {
  shape: string
  buttonStyle: string
  buttonSize: string
  colours: Record<ColourField, string>
  without: ColourField[]
}

/**
 * The form of a pattern. A colour field cannot be empty, so for a colour that the pattern lacks it
 * shows a colour to start from.
 */
export function patternFormOf({
  shape,
  buttonStyle,
  buttonSize: size,
  colours,
}: Pattern): PatternForm {
  const { border, buttonBackground, buttonBorder, ...always } = colours
  return {
    shape,
    buttonStyle,
    buttonSize: size,
    colours: {
      ...always,
      border: border ?? colours.text,
      buttonBackground: buttonBackground ?? colours.heading,
      buttonBorder: buttonBorder ?? colours.buttonText,
    },
    without: colourNames.filter(name => colours[name] === null),
  }
}

/** Reads the form from posted fields. A missing field is empty, and a missing box is not ticked. */
export function typedPattern(posted: Posted): PatternForm {
  const field = (name: string): string => (typeof posted[name] === 'string' ? posted[name] : '')
  return {
    shape: field('shape'),
    buttonStyle: field('buttonStyle'),
    buttonSize: field('buttonSize'),
    colours: Object.fromEntries(colourNames.map(name => [name, field(name)])) as Record<
      ColourField,
      string
    >,
    without: colourNames.filter(
      name => 'without' in colourFields[name] && posted[`without.${name}`] !== undefined,
    ),
  }
}

type ParsedPattern =
  | { pattern: Pattern; problems: [] }
  | { pattern: null; problems: FieldProblem[] }

/** Makes a pattern from its form, or says what is wrong with which field. */
export function parsePattern(form: PatternForm, kind: Pattern['kind']): ParsedPattern {
  const problems: FieldProblem[] = []
  const wrong = (field: string, message: string) => {
    problems.push({ field, message })
  }
  const oneOf = <T extends string>(name: 'shape' | 'buttonStyle', choices: readonly T[]): T => {
    const chosen = choices.find(choice => choice === form[name])
    if (!chosen) wrong(name, `Choose one of ${choices.join(', ')}.`)
    return chosen ?? choices[0]!
  }
  const shape = oneOf('shape', shapes),
    buttonStyle = oneOf('buttonStyle', buttonStyles)
  let size: ButtonSize = 'medium'
  try {
    size = buttonSize(form.buttonSize)
  } catch (error) {
    wrong('buttonSize', (error as Error).message)
  }
  const colours = Object.fromEntries(
    colourNames.map(name => [
      name,
      form.without.includes(name) ? null : colourOf(form.colours[name]),
    ]),
  ) as Pattern['colours']
  for (const name of colourNames)
    if (!form.without.includes(name) && colours[name] === null)
      wrong(name, 'Write the colour as # and six digits, like #7a4a2b.')
  if (problems.length === 0)
    for (const [field, message] of misfits(buttonStyle, colours)) wrong(field, message)
  return problems.length > 0
    ? { pattern: null, problems }
    : { pattern: { kind, shape, buttonStyle, buttonSize: size, colours }, problems: [] }
}

/**
 * Yields a problem for each colour that contradicts the button style: `buttonStyleOf` tells the
 * style by fill and border.
 */
function* misfits(
  style: ButtonStyle,
  { buttonBackground, buttonBorder }: Pattern['colours'],
): Generator<[ColourField, string]> {
  if (style === 'Filled' && buttonBackground === null)
    yield ['buttonBackground', 'A filled button needs a colour.']
  if (style !== 'Filled' && buttonBackground !== null)
    yield ['buttonBackground', 'Only a filled button has a fill: tick “No fill”, or choose Filled.']
  if (style === 'Outline' && buttonBorder === null)
    yield ['buttonBorder', 'An outlined button needs a border.']
}

const colourOf = (text: string): string | null =>
  /^#[0-9a-f]{6}$/i.test(text.trim()) ? text.trim().toLowerCase() : null

/** The value of a font in a list of choices. */
export const fontKey = ({ family, weight, style }: Font): string => `${family}|${weight}|${style}`

type ParsedFonts =
  | { fonts: Pick<BrandStyle, FontRole>; problems: [] }
  | { fonts: null; problems: FieldProblem[] }

/** Reads the font chosen for each role. It must be one of `entries` or the role's current font. */
export function parseFonts(
  posted: Posted,
  current: Pick<BrandStyle, FontRole>,
  entries: readonly FontEntry[],
): ParsedFonts {
  const chosen = fontRoleNames.map(
    role =>
      [role, [current[role], ...entries].find(font => fontKey(font) === posted[role])] as const,
  )
  const problems = chosen
    .filter(([, font]) => !font)
    .map(([role]) => ({ field: role, message: 'Choose one of the fonts that are listed.' }))
  if (problems.length > 0) return { fonts: null, problems }
  const fonts = Object.fromEntries(
    chosen.map(([role, font]) => [
      role,
      { family: font!.family, weight: font!.weight, style: font!.style },
    ]),
  )
  return { fonts: fonts as Pick<BrandStyle, FontRole>, problems: [] }
}
