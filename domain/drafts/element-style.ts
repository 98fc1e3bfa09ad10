import { hexOf, parseColour } from '../colour.ts'

/**
 * CSS properties of an element that the page in the preview reports, as the browser computed them.
 */
export const styleNames = [
  'color',
  'background-color',
  'font-family',
  'font-size',
  'font-weight',
  'text-align',
  'border-top-left-radius',
  'padding-top',
  'padding-right',
  'padding-bottom',
  'padding-left',
  'margin-top',
  'margin-right',
  'margin-bottom',
  'margin-left',
  'border-top-width',
  'border-top-style',
  'border-top-color',
] as const
export type StyleName = (typeof styleNames)[number]
export type ElementStyles = Record<StyleName, string>

type Choice = { value: string; label: string }
/**
 * A visual control of the editor. `property` is the CSS property that it sets, `read` the one that
 * holds its present value.
 */
export type StyleField = {
  property: string
  read: StyleName
  label: string
  control: 'colour' | 'length' | 'font' | 'choice'
  /** Whether this length may be negative. */
  signed?: true
  choices?: readonly Choice[]
}

const weights: Choice[] = [
  ['300', 'Light'],
  ['400', 'Regular'],
  ['500', 'Medium'],
  ['600', 'Semibold'],
  ['700', 'Bold'],
  ['800', 'Extra bold'],
  ['900', 'Black'],
].map(([value, label]) => ({ value: value!, label: label! }))
const aligns: Choice[] = [
  ['left', 'Left'],
  ['center', 'Centre'],
  ['right', 'Right'],
  ['justify', 'Justified'],
].map(([value, label]) => ({ value: value!, label: label! }))
const lines: Choice[] = [
  ['none', 'None'],
  ['solid', 'Solid'],
  ['dashed', 'Dashed'],
  ['dotted', 'Dotted'],
].map(([value, label]) => ({ value: value!, label: label! }))

const sides = ['top', 'right', 'bottom', 'left'] as const
const side = { top: 'Top', right: 'Right', bottom: 'Bottom', left: 'Left' }

/** The controls, by part of the panel. */
export const styleFields = {
  type: [
    { property: 'color', read: 'color', label: 'Text colour', control: 'colour' },
    { property: 'font-family', read: 'font-family', label: 'Font', control: 'font' },
    { property: 'font-size', read: 'font-size', label: 'Text size', control: 'length' },
    {
      property: 'font-weight',
      read: 'font-weight',
      label: 'Weight',
      control: 'choice',
      choices: weights,
    },
    {
      property: 'text-align',
      read: 'text-align',
      label: 'Alignment',
      control: 'choice',
      choices: aligns,
    },
  ],
  box: [
    {
      property: 'background-color',
      read: 'background-color',
      label: 'Background',
      control: 'colour',
    },
    {
      property: 'border-radius',
      read: 'border-top-left-radius',
      label: 'Corner radius',
      control: 'length',
    },
  ],
  padding: sides.map((name): StyleField => ({
    property: `padding-${name}`,
    read: `padding-${name}`,
    label: side[name],
    control: 'length',
  })),
  margin: sides.map((name): StyleField => ({
    property: `margin-${name}`,
    read: `margin-${name}`,
    label: side[name],
    control: 'length',
    signed: true,
  })),
  border: [
    {
      property: 'border-width',
      read: 'border-top-width',
      label: 'Border width',
      control: 'length',
    },
    {
      property: 'border-style',
      read: 'border-top-style',
      label: 'Border line',
      control: 'choice',
      choices: lines,
    },
    {
      property: 'border-color',
      read: 'border-top-color',
      label: 'Border colour',
      control: 'colour',
    },
  ],
} as const satisfies Record<string, readonly StyleField[]>
export type StylePart = keyof typeof styleFields

/**
 * A CSS value as its field shows it: "16px" is 16, "rgb(122, 74, 43)" is #7a4a2b, a list of fonts
 * is its first font.
 */
export function shownStyle({ control, read }: StyleField, css: string): string {
  const value = css.trim().replace(/\s*!important$/, '')
  switch (control) {
    case 'colour': {
      const colour = parseColour(value)
      return colour === null ? value : colour.a === 0 ? 'transparent' : hexOf(colour)
    }
    case 'length': {
      const pixels = /^(-?[\d.]+)px$/.exec(value)?.[1]
      return pixels === undefined ? value : String(Number(Number(pixels).toFixed(2)))
    }
    case 'font':
      return firstFamily(value)
    case 'choice':
      return read === 'text-align'
        ? value.replace('start', 'left').replace('end', 'right')
        : value === 'normal'
          ? '400'
          : value === 'bold'
            ? '700'
            : value
  }
}

type Typed = { css: string; problem: null } | { css: null; problem: string }
const css = (value: string): Typed => ({ css: value, problem: null })
const wrong = (problem: string): Typed => ({ css: null, problem })

/**
 * Makes a CSS value from the text of a field, or says what is wrong with it. `standing`: the
 * present CSS value; a new font takes its generic family.
 */
export function typedStyle(
  { control, signed, choices }: StyleField,
  text: string,
  standing = '',
): Typed {
  const value = text.trim()
  switch (control) {
    case 'colour': {
      const colour = parseColour(value.replace(/^(?=[0-9a-f]{6}$)/i, '#'))
      if (!colour) return wrong('Write the colour as # and six digits, like #7a4a2b.')
      return css(colour.a === 0 ? 'transparent' : colour.a === 1 ? hexOf(colour) : value)
    }
    case 'length': {
      const [, number, unit] = /^(-?\d*\.?\d+)\s*(px|rem|em|%|vw|vh)?$/i.exec(value) ?? []
      if (number === undefined) return wrong('Write a number of pixels, like 16.')
      if (Number(number) < 0 && !signed) return wrong('This cannot be below 0.')
      if (Math.abs(Number(number)) > 2000) return wrong('Write at most 2000.')
      return css(`${Number(number)}${(unit ?? 'px').toLowerCase()}`)
    }
    case 'font': {
      const family = value.replace(/["\\;{}<>\n\r\f]/g, '').trim()
      if (!family) return wrong('Choose a font.')
      return css(generic.has(family) ? family : `"${family}", ${genericOf(standing)}`)
    }
    case 'choice':
      return choices?.some(choice => choice.value === value)
        ? css(value)
        : wrong('Choose one of the list.')
  }
}

const generic = new Set(['serif', 'sans-serif', 'monospace', 'cursive', 'system-ui'])
const families = (list: string): string[] =>
  list
    .split(',')
    .map(family => family.trim().replace(/^["']|["']$/g, ''))
    .filter(Boolean)
const firstFamily = (list: string): string => families(list)[0] ?? ''
const genericOf = (list: string): string =>
  families(list).findLast(family => generic.has(family)) ?? 'sans-serif'

/**
 * A value in words, beside its field: "16 px", "#7a4a2b", "Bold"; "none" for a transparent colour.
 */
export function styleWords(field: StyleField, value: string): string {
  if (value === '') return 'not known'
  if (field.control === 'length') return /^-?[\d.]+$/.test(value) ? `${value} px` : value
  if (field.control === 'colour') return value === 'transparent' ? 'none' : value
  return field.choices?.find(choice => choice.value === value)?.label ?? value
}
