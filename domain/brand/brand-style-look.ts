/**
 * The kinds of patterns, shapes and buttons that a brand style knows (requirements 7.15 to 7.17).
 * Keep schemas out of this file.
 */
export const patternKinds = ['Unknown', 'Content', 'Product', 'Highlight'] as const
export type PatternKind = (typeof patternKinds)[number]
export const shapes = ['None', 'SemiRound', 'Round'] as const
export type Shape = (typeof shapes)[number]
export const buttonStyles = ['Filled', 'Outline', 'Underline', 'Text'] as const
export type ButtonStyle = (typeof buttonStyles)[number]
export const fontSources = ['theme', 'web', 'system'] as const
/**
 * Where a font comes from: the theme's own stylesheets, a web font host, or the visitor's device.
 */
export type FontSource = (typeof fontSources)[number]

/**
 * The shape of a box's corners. Both lengths are in pixels. Round means that the corners nearly
 * meet in the middle of the shorter side.
 */
export const shapeOf = (radius: number, shorterSide: number): Shape =>
  radius < 1.5 ? 'None' : radius >= shorterSide * 0.4 ? 'Round' : 'SemiRound'

export type ButtonLook = { hasGround: boolean; hasBorder: boolean; hasUnderline: boolean }
const styles: [ButtonStyle, (look: ButtonLook) => boolean][] = [
  ['Filled', look => look.hasGround],
  ['Outline', look => look.hasBorder],
  ['Underline', look => look.hasUnderline],
  ['Text', () => true],
]
/** The first style that fits: a filled button may have a border too. */
export const buttonStyleOf = (look: ButtonLook): ButtonStyle =>
  styles.find(([, applies]) => applies(look))![0]
