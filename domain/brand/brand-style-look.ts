/** What a brand style tells shapes and buttons apart by (requirements 7.15 to 7.17). No schema here. */
export const patternKinds = ['Unknown', 'Content', 'Product', 'Highlight'] as const
export type PatternKind = (typeof patternKinds)[number]
export const shapes = ['None', 'SemiRound', 'Round'] as const
export type Shape = (typeof shapes)[number]
export const buttonStyles = ['Filled', 'Outline', 'Underline', 'Text'] as const
export type ButtonStyle = (typeof buttonStyles)[number]
export const fontSources = ['theme', 'web', 'system'] as const
/** Whose a font is: declared by the theme's own stylesheets, by a web font host's, or whatever the visitor's device has. */
export type FontSource = (typeof fontSources)[number]

/** Shape of a box's corners, in pixels: round when they (nearly) meet in the middle of its shorter side. */
export const shapeOf = (radius: number, shorterSide: number): Shape =>
  radius < 1.5 ? 'None' : radius >= shorterSide * 0.4 ? 'Round' : 'SemiRound'

export type ButtonLook = { hasGround: boolean; hasBorder: boolean; hasUnderline: boolean }
const styles: [ButtonStyle, (look: ButtonLook) => boolean][] = [
  ['Filled', look => look.hasGround],
  ['Outline', look => look.hasBorder],
  ['Underline', look => look.hasUnderline],
  ['Text', () => true],
]
/** The first that applies: a filled button may have a border too. */
export const buttonStyleOf = (look: ButtonLook): ButtonStyle =>
  styles.find(([, applies]) => applies(look))![0]
