import type { Found } from './picker-message.ts'

/** Maximum number of elements on one page that one change may touch. */
export const elementLimit = 200

/** The message for a selector that names the whole page. */
export const wholePage =
  'This is the whole page. Name an element on it, for example .product-form__submit.'
/** The message for a selector that makes a browser search long, on every element. */
export const slowSelector =
  'This selector is too slow for browsers. Use fewer spaces, ~ and :has() in it, or use an id or a class.'
export const notASelector =
  'This is not a CSS selector. Write one as in a stylesheet, for example .product-form__submit.'

/**
 * Says what a selector's count on the page in the preview means. `bad`: the selector is refused.
 */
export function foundWords({ count, whole }: Omit<Found, 'selector'>): {
  tone: 'good' | 'warn' | 'bad'
  text: string
} {
  if (count < 0) return { tone: 'bad', text: notASelector }
  if (whole) return { tone: 'bad', text: wholePage }
  if (count > elementLimit)
    return {
      tone: 'bad',
      text: `Finds ${count} elements on this page. A change may be made to ${elementLimit} at most; say more exactly which.`,
    }
  if (count === 0)
    return {
      tone: 'warn',
      text: 'Finds nothing on this page. The variant would look like the control here.',
    }
  return {
    tone: 'good',
    text: `Finds ${count} ${count === 1 ? 'element' : 'elements'} on this page.`,
  }
}
