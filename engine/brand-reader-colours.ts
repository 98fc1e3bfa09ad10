/** Red, green, blue from 0 to 255, alpha from 0 to 1. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number]

export const white: Rgba = [255, 255, 255, 1], black: Rgba = [0, 0, 0, 1], transparent: Rgba = [0, 0, 0, 0]

// The names of CSS, each with its six digits.
const named = new Map(`aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000 blanchedalmond ffebcd
  blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc
  crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b
  darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f
  darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222
  floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f
  grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00
  lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3
  lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0
  lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db
  mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa
  mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6
  palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd
  powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57
  seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4
  tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32
  canvas ffffff canvastext 000000 linktext 0000ee buttonface efefef buttontext 000000`.split(/\s+/).flatMap((name, i, all) => (i % 2 === 0 ? [[name, all[i + 1]!] as const] : [])))

/** A colour as CSS writes it, `var()` already resolved; null for what is none, or is written in a way we do not read. */
export function parseColour(text: string, current: Rgba = black): Rgba | null {
  const written = text.trim().toLowerCase()
  if (written === 'transparent') return transparent
  if (written === 'currentcolor') return current
  const hex = named.get(written) ?? /^#([0-9a-f]{3,8})$/.exec(written)?.[1]
  if (hex !== undefined) return fromHex(hex)
  const [, name, inside] = /^([a-z-]+)\((.*)\)$/s.exec(written) ?? []
  if (name === undefined || inside === undefined) return null
  if (name === 'color-mix') return mixed(inside, current)
  const [a, b, c, alpha] = inside.split(/[\s,/]+/).filter(Boolean)
  if (a === undefined || b === undefined || c === undefined) return null
  const opacity = alpha === undefined ? 1 : share(alpha)
  if (opacity === null) return null
  if (name === 'rgb' || name === 'rgba') {
    const parts = [a, b, c].map(part => (part.endsWith('%') ? number(part, 2.55) : number(part)))
    return parts.includes(null) ? null : [...(parts as number[]).map(part => clamp(part, 255)) as [number, number, number], opacity]
  }
  if (name === 'hsl' || name === 'hsla') {
    const hue = angle(a), saturation = share(b), lightness = share(c)
    return hue === null || saturation === null || lightness === null ? null : [...fromHsl(hue, saturation, lightness), opacity]
  }
  return null
}

/** What is seen of a colour that lies on an opaque one. */
export const over = ([r, g, b, a]: Rgba, [r2, g2, b2]: Rgba): Rgba => [r * a + r2 * (1 - a), g * a + g2 * (1 - a), b * a + b2 * (1 - a), 1]
export const toHex = ([r, g, b]: Rgba): string => `#${[r, g, b].map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`

function fromHex(digits: string): Rgba | null {
  const wide = digits.length <= 4 ? [...digits].map(digit => digit + digit).join('') : digits
  if (wide.length !== 6 && wide.length !== 8) return null
  const [r, g, b, a = 255] = wide.match(/../g)!.map(pair => parseInt(pair, 16)) as [number, number, number, number?]
  return [r, g, b, a / 255]
}

function fromHsl(hue: number, saturation: number, lightness: number): [number, number, number] {
  const chroma = saturation * Math.min(lightness, 1 - lightness)
  const part = (n: number) => {
    const k = (n + hue / 30) % 12
    return clamp((lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1))) * 255, 255)
  }
  return [part(0), part(8), part(4)]
}

/** color-mix(in srgb, …): other spaces are near enough in it to tell one colour from another. */
function mixed(inside: string, current: Rgba): Rgba | null {
  const [, first = '', second = ''] = /^in [a-z0-9- ]+,(.*),((?:[^()]|\([^()]*\))*)$/s.exec(inside) ?? []
  const [a, aShare] = parted(first, current), [b, bShare] = parted(second, current)
  if (!a || !b) return null
  const weight = aShare ?? (bShare === null ? 0.5 : 1 - bShare), rest = bShare ?? 1 - weight
  if (weight + rest <= 0) return null
  const p = weight / (weight + rest), alpha = a[3] * p + b[3] * (1 - p)
  const part = (i: 0 | 1 | 2) => (alpha === 0 ? 0 : (a[i] * a[3] * p + b[i] * b[3] * (1 - p)) / alpha)
  return [part(0), part(1), part(2), alpha * Math.min(1, weight + rest)]
}

function parted(text: string, current: Rgba): [Rgba | null, number | null] {
  const percent = /(?:^|\s)(-?[\d.]+%)(?:\s|$)/.exec(text)
  return [parseColour(percent ? text.replace(percent[1]!, '') : text, current), percent ? share(percent[1]!) : null]
}

const clamp = (value: number, most: number) => Math.min(Math.max(value, 0), most)
const number = (text: string, times = 1): number | null => (text === 'none' ? 0 : Number.isNaN(parseFloat(text)) ? null : parseFloat(text) * times)
const share = (text: string): number | null => {
  const value = number(text, text.endsWith('%') ? 0.01 : 1)
  return value === null ? null : clamp(value, 1)
}
const turns: Record<string, number> = { deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 }
const angle = (text: string): number | null => {
  const value = number(text, turns[/[a-z]+$/.exec(text)?.[0] ?? 'deg'] ?? 1)
  return value === null ? null : ((value % 360) + 360) % 360
}
