export const buttonSizes = ['large', 'medium', 'small'] as const
export type ButtonSize = (typeof buttonSizes)[number]

/** Throws for a size other than large, medium or small (requirements 15.12). */
export function buttonSize(text: string): ButtonSize {
  if ((buttonSizes as readonly string[]).includes(text)) return text as ButtonSize
  throw new RangeError(`A button is large, medium or small, not ${JSON.stringify(text)}.`)
}

/**
 * The size of a button that is `height` pixels high. From 48 pixels it suits a thumb; below 36 it
 * is usually one of several in a line.
 */
export const sizeOfHeight = (height: number): ButtonSize =>
  height >= 48 ? 'large' : height >= 36 ? 'medium' : 'small'
