/** The window that the shop is read for, in CSS pixels: a merchant's desktop. */
export const readWidth = 1280, readHeight = 960

/** Splits at a separator that stands outside of brackets and quotes. White space is one separator however long. */
export function splitTop(text: string, separator: ' ' | ',' | '/'): string[] {
  const parts: string[] = []
  let depth = 0, quote = '', part = ''
  for (const char of text) {
    if (quote) quote = char === quote ? '' : quote
    else if (char === '"' || char === '\'') quote = char
    else if (char === '(' || char === '[') depth++
    else if (char === ')' || char === ']') depth--
    const isCut = !quote && depth === 0 && (separator === ' ' ? /\s/.test(char) : char === separator)
    if (!isCut) part += char
    else if (separator !== ' ' || part) {
      parts.push(part.trim())
      part = ''
    }
  }
  return part.trim() || separator !== ' ' ? [...parts, part.trim()] : parts
}

const longest = 5_000, deepest = 20
/** A value with every `var()` put in; null where one is nowhere defined, turns in a circle, or grows out of hand. */
export function withVariables(text: string, variable: (name: string) => string | undefined, depth = 0): string | null {
  const at = text.search(/\bvar\(/i)
  if (at < 0) return text
  if (depth > deepest || text.length > longest) return null
  const end = closing(text, at + 3)
  const [name = '', ...rest] = splitTop(text.slice(at + 4, end), ',')
  const own = variable(name.trim())
  const put = (own !== undefined ? withVariables(own, variable, depth + 1) : null) ?? (rest.length > 0 ? withVariables(rest.join(','), variable, depth + 1) : null)
  return put === null ? null : withVariables(text.slice(0, at) + put + text.slice(end + 1), variable, depth + 1)
}

function closing(text: string, open: number): number {
  let depth = 0
  for (let i = open; i < text.length; i++) {
    if (text[i] === '(') depth++
    else if (text[i] === ')' && --depth === 0) return i
  }
  return text.length
}

export type LengthContext = { fontSize: number; rootSize: number; percentOf: number }
const units: Record<string, (context: LengthContext) => number> = {
  px: () => 1, pt: () => 4 / 3, pc: () => 16, in: () => 96, cm: () => 96 / 2.54, mm: () => 9.6 / 2.54,
  em: c => c.fontSize, rem: c => c.rootSize, ex: c => c.fontSize / 2, ch: c => c.fontSize / 2, '%': c => c.percentOf / 100,
  vw: () => readWidth / 100, vh: () => readHeight / 100, svh: () => readHeight / 100, dvh: () => readHeight / 100, lvh: () => readHeight / 100,
  vmin: () => readHeight / 100, vmax: () => readWidth / 100, vi: () => readWidth / 100, vb: () => readHeight / 100,
}

/** A length in pixels, calc(), min(), max() and clamp() worked out; null for what is no length. A plain number counts as one only inside of those, or when it is 0. */
export function pixels(text: string, context: LengthContext): number | null {
  const written = text.trim().toLowerCase()
  const tokens = written.match(/[a-z-]+\(|[\d.]+(?:e[+-]?\d+)?[a-z%]*|[-+*/(),]/g) ?? []
  if (tokens.join('') !== written.replace(/\s+/g, '')) return null
  const single = /^[-+]?([\d.]+)([a-z%]*)$/.exec(written)
  if (single && !single[2] && Number(single[1]) !== 0) return null
  let at = 0
  const sum = (): number => {
    let value = product()
    while (tokens[at] === '+' || tokens[at] === '-') value += tokens[at++] === '+' ? product() : -product()
    return value
  }
  const product = (): number => {
    let value = factor()
    while (tokens[at] === '*' || tokens[at] === '/') value = tokens[at++] === '*' ? value * factor() : value / factor()
    return value
  }
  const factor = (): number => {
    const token = tokens[at++]
    if (token === '-') return -factor()
    if (token === '+') return factor()
    if (token === '(') return closed([sum()])[0]!
    if (token?.endsWith('(')) {
      const values = [sum()]
      while (tokens[at] === ',') {
        at++
        values.push(sum())
      }
      closed(values)
      return functions[token.slice(0, -1)]?.(values) ?? NaN
    }
    const [, digits = '', unit = ''] = /^([\d.]+(?:e[+-]?\d+)?)([a-z%]*)$/.exec(token ?? '') ?? []
    return digits === '' ? NaN : Number(digits) * (unit ? units[unit]?.(context) ?? NaN : 1)
  }
  const closed = (values: number[]) => (tokens[at++] === ')' ? values : [NaN])
  const value = sum()
  return at === tokens.length && Number.isFinite(value) ? value : null
}

const functions: Record<string, (values: number[]) => number> = {
  calc: ([value = NaN]) => value,
  min: values => Math.min(...values),
  max: values => Math.max(...values),
  clamp: ([least = NaN, value = NaN, most = NaN]) => Math.max(least, Math.min(value, most)),
}

/** Whether a list of media queries fits a desktop screen with scripts on. What we do not know does not fit. */
export function fitsMedia(query: string): boolean {
  return query.trim() === '' || splitTop(query.toLowerCase(), ',').some(one => {
    const isNot = /^not\s/.test(one)
    const parts = one.replace(/^(not|only)\s+/, '').split(/\s+and\s+/)
    return parts.every(part => part.split(/\s+or\s+/).some(fitsFeature)) !== isNot
  })
}

const plainFeatures = ['all', 'screen', '(scripting)', '(scripting: enabled)', '(hover)', '(hover: hover)', '(any-hover: hover)', '(pointer: fine)', '(prefers-color-scheme: light)', '(prefers-reduced-motion: no-preference)', '(orientation: landscape)']
function fitsFeature(part: string): boolean {
  const text = part.trim().replace(/\s+/g, ' ').replace(/ ?: ?/, ': ')
  if (plainFeatures.includes(text)) return true
  const length = (size: string) => pixels(size, { fontSize: 16, rootSize: 16, percentOf: 0 }) ?? NaN
  const [, bound, axis, size = ''] = /^\((min|max)-(width|height): (.+)\)$/.exec(text) ?? []
  const own = (name: string | undefined) => (name === 'height' ? readHeight : readWidth)
  if (bound) return bound === 'min' ? own(axis) >= length(size) : own(axis) <= length(size)
  const range = /^\((?:([^<>=]+?) ?([<>]=?) ?)?(width|height)(?: ?([<>]=?) ?([^<>=]+))?\)$/.exec(text)
  if (!range || (!range[2] && !range[4])) return false
  const [, low = '', lowSign, name, highSign, high = ''] = range
  return (!lowSign || compare(length(low), lowSign, own(name))) && (!highSign || compare(own(name), highSign, length(high)))
}

const compare = (a: number, sign: string, b: number): boolean => (sign === '<' ? a < b : sign === '<=' ? a <= b : sign === '>' ? a > b : a >= b)
