/** Channels from 0 to 255, `a` from 0 to 1. */
export type Colour = { r: number; g: number; b: number; a: number }

/**
 * Reads a colour as browsers compute it or as people type it: #7a4a2b, rgb(…), color(srgb …),
 * transparent. Null when it cannot.
 */
export function parseColour(text: string): Colour | null {
  const word = text.trim().toLowerCase()
  if (word === 'transparent') return { r: 0, g: 0, b: 0, a: 0 }
  const hex = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(word)?.[1]
  if (hex) {
    const full = hex.length < 5 ? [...hex].map(digit => digit + digit).join('') : hex
    const at = (i: number): number => parseInt(full.slice(i, i + 2), 16)
    return { r: at(0), g: at(2), b: at(4), a: full.length === 8 ? at(6) / 255 : 1 }
  }
  const [, name, inside] = /^(rgba?|color)\(([^()]*)\)$/.exec(word) ?? []
  if (!name || inside === undefined) return null
  const isPlain = name !== 'color'
  const parts = inside
    .replace(/^\s*srgb\s/, '')
    .split(/[\s,/]+/)
    .filter(Boolean)
  if ((!isPlain && !/^\s*srgb\s/.test(inside)) || parts.length < 3 || parts.length > 4) return null
  const scale = isPlain ? 255 : 1
  const channel = (part: string, most: number): number => {
    const value = part.endsWith('%') ? (Number(part.slice(0, -1)) / 100) * most : Number(part)
    return Math.min(most, Math.max(0, value))
  }
  const [r, g, b] = parts.slice(0, 3).map(part => Math.round((channel(part, scale) / scale) * 255))
  const a = channel(parts[3] ?? '1', 1)
  return [r, g, b, a].some(Number.isNaN) ? null : { r: r!, g: g!, b: b!, a }
}

/** "#7a4a2b", the value of a colour field. Alpha is left out. */
export const hexOf = ({ r, g, b }: Colour): string =>
  `#${[r, g, b].map(channel => Math.round(channel).toString(16).padStart(2, '0')).join('')}`

/** The colour that people see when `front` lies over `back`. */
export const over = (front: Colour, back: Colour): Colour => {
  const mix = (one: number, other: number): number => one * front.a + other * (1 - front.a)
  return {
    r: mix(front.r, back.r),
    g: mix(front.g, back.g),
    b: mix(front.b, back.b),
    a: front.a + back.a * (1 - front.a),
  }
}

/** Contrast ratio of two colours by WCAG 2.2, from 1 to 21. */
export function contrastRatio(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light! + 0.05) / (dark! + 0.05)
}

function luminance({ r, g, b }: Colour): number {
  const [red, green, blue] = [r, g, b].map(channel => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/**
 * The contrast ratio that text of this size and weight needs (WCAG AA). Text from 24 px, or from
 * 18.66 px in bold, is large.
 */
export const neededContrast = (pixels: number, weight: number): 3 | 4.5 =>
  pixels >= 24 || (pixels >= 18.66 && weight >= 700) ? 3 : 4.5

/**
 * A warning when text is hard to read on its background. Null when the contrast is enough or cannot
 * be computed.
 */
export function contrastWarning(
  text: string,
  ground: string,
  pixels: number,
  weight: number,
): string | null {
  const back = parseColour(ground),
    front = parseColour(text)
  if (!back || !front || back.a < 1 || front.a === 0) return null
  const ratio = contrastRatio(over(front, back), back),
    needed = neededContrast(pixels, weight)
  if (ratio >= needed) return null
  // Rounded down: 4.49 is not enough, and must not read as 4.5.
  return `Contrast is ${Math.floor(ratio * 10) / 10}:1. Text of this size needs at least ${needed}:1 to be easy to read.`
}
