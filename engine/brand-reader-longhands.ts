import { parseColour } from './brand-reader-colours.ts'
import { splitTop } from './brand-reader-values.ts'

const borderStyles = new Set(['none', 'hidden', 'dotted', 'dashed', 'solid', 'double', 'groove', 'ridge', 'inset', 'outset'])
const sides = ['top', 'right', 'bottom', 'left'] as const
const wide = new Set(['inherit', 'initial', 'unset', 'revert', 'revert-layer'])

/** A declaration as the longhands that the reader looks at; `var()` is already put in. */
export function longhands(property: string, value: string): [property: string, value: string][] {
  const expand = shorthands[property]
  if (!expand) return [[property, value]]
  const keyword = value.trim().toLowerCase()
  return wide.has(keyword) ? expand('').map(([name]) => [name, keyword]) : expand(value)
}

type Expand = (value: string) => [string, string][]
const around = (name: (side: string) => string): Expand => value => {
  const [top = '', right = top, bottom = top, left = right] = splitTop(value, ' ')
  return sides.map((side, i) => [name(side), [top, right, bottom, left][i]!])
}
const pair = (first: string, second: string): Expand => value => {
  const [a = '', b = a] = splitTop(value, ' ')
  return [[first, a], [second, b]]
}

function border(of: readonly string[]): Expand {
  return value => {
    const parts = splitTop(value, ' ')
    const style = parts.find(part => borderStyles.has(part.toLowerCase())) ?? 'none'
    const colour = parts.find(part => !borderStyles.has(part.toLowerCase()) && parseColour(part) !== null) ?? 'currentcolor'
    const width = parts.find(part => part !== style && part !== colour) ?? 'medium'
    return of.flatMap((side): [string, string][] => [[`border-${side}-width`, width], [`border-${side}-style`, style], [`border-${side}-color`, colour]])
  }
}

const shorthands: Record<string, Expand> = {
  font,
  background: value => {
    const layers = splitTop(value, ',')
    const colour = splitTop((layers.at(-1) ?? '').replace(/\//g, ' / '), ' ').find(part => parseColour(part) !== null) ?? 'transparent'
    return [['background-color', colour], ['background-image', /url\(|gradient\(/i.test(value) ? 'some' : 'none']]
  },
  padding: around(side => `padding-${side}`),
  'padding-block': pair('padding-top', 'padding-bottom'),
  'padding-inline': pair('padding-left', 'padding-right'),
  border: border(sides),
  'border-top': border(['top']), 'border-right': border(['right']), 'border-bottom': border(['bottom']), 'border-left': border(['left']),
  'border-block': border(['top', 'bottom']), 'border-inline': border(['left', 'right']),
  'border-width': around(side => `border-${side}-width`), 'border-style': around(side => `border-${side}-style`), 'border-color': around(side => `border-${side}-color`),
  // One corner stands for all four.
  'border-radius': value => [['border-top-left-radius', splitTop(splitTop(value, '/')[0] ?? '', ' ')[0] ?? '']],
  'border-start-start-radius': value => [['border-top-left-radius', value]],
  'text-decoration': value => [['text-decoration-line', value]],
}

const fontWords = { style: /^(italic|oblique)$/i, weight: /^(bold|bolder|lighter|\d{1,4})$/i, other: /^(normal|small-caps|(ultra-|extra-|semi-)?(condensed|expanded))$/i }
function font(value: string): [string, string][] {
  const parts = splitTop(value.replace(/\s*\/\s*/, '/'), ' ')
  let style = 'normal', weight = '400', at = 0
  for (; at < parts.length; at++) {
    if (fontWords.style.test(parts[at]!)) style = parts[at]!
    else if (fontWords.weight.test(parts[at]!)) weight = parts[at]!
    else if (!fontWords.other.test(parts[at]!)) break
  }
  const [size = '', lineHeight = 'normal'] = splitTop(parts[at] ?? '', '/')
  return [['font-style', style], ['font-weight', weight], ['font-size', size], ['line-height', lineHeight], ['font-family', parts.slice(at + 1).join(' ')]]
}
