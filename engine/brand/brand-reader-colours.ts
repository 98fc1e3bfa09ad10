/** Red, green, blue from 0 to 255, alpha from 0 to 1. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number]

export const white: Rgba = [255, 255, 255, 1]

/** The visible colour when the first colour lies over the second, which is opaque. */
export const over = ([r, g, b, a]: Rgba, [r2, g2, b2]: Rgba): Rgba => [
  r * a + r2 * (1 - a),
  g * a + g2 * (1 - a),
  b * a + b2 * (1 - a),
  1,
]
export const toHex = ([r, g, b]: Rgba): string =>
  `#${[r, g, b].map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`
/** True if a person can see the difference between the two colours. */
export const differs = (a: Rgba, b: Rgba): boolean =>
  Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) > 4
