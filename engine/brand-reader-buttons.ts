import type { Pattern } from '../domain/brand-style.ts'
import { buttonStyleOf, shapeOf, type Shape } from '../domain/brand-style-look.ts'
import { sizeOfHeight } from '../domain/button-size.ts'
import { type Cascade, find, type PageElement, parentOf } from './brand-reader-cascade.ts'
import { over, type Rgba, toHex } from './brand-reader-colours.ts'

export type ButtonLooks = Pick<Pattern, 'buttonStyle' | 'buttonSize'> & Pick<Pattern['colours'], 'buttonBackground' | 'buttonText' | 'buttonBorder'> & { shape: Shape }

const candidates = 'button, input[type="submit"], input[type="button"], [role="button"], a[href]'
const namedButton = /(^|[-_\s])(btn|button|cta)([-_\s]|$)/i

/** The first button in a part of the page: what the theme calls one, or draws as one. */
export const firstButton = (cascade: Cascade, within?: PageElement): PageElement | null =>
  find(cascade.$, candidates, within).find(element => isButton(cascade, element) && cascade.isShown(element)) ?? null

/** The button that matters most to a shop: that which adds to the cart, else the first of the page's own part. */
export function mainButton(cascade: Cascade): PageElement | null {
  const adding = find(cascade.$, 'form[action*="/cart/add"] [type="submit"], form[action*="/cart/add"] button:not([type="button"])').find(element => cascade.isShown(element))
  const [main] = find(cascade.$, 'main, [role="main"], #main')
  return adding ?? firstButton(cascade, main) ?? (main ? firstButton(cascade) : null)
}

export function buttonLooks(cascade: Cascade, element: PageElement): ButtonLooks {
  const { background, border, colour, radius, padding, lineHeight, minHeight, isUnderlined } = cascade.look(element)
  const ground = groundBehind(cascade, element)
  const seen = over(background, ground)
  const hasGround = differs(seen, ground)
  const height = Math.max(lineHeight + padding.top + padding.bottom + (border.isAllAround ? 2 * border.width : 0), minHeight)
  return {
    buttonStyle: buttonStyleOf({ hasGround, hasBorder: border.isAllAround && border.width > 0, hasUnderline: isUnderlined || border.isBelow }),
    buttonSize: sizeOfHeight(height),
    buttonBackground: hasGround ? toHex(seen) : null,
    buttonText: toHex(over(colour, seen)),
    buttonBorder: border.width > 0 ? toHex(over(border.colour, ground)) : null,
    shape: shapeOf(radius(height), height),
  }
}

function isButton(cascade: Cascade, element: PageElement): boolean {
  const named = namedButton.test(element.attribs['class'] ?? '')
  if (element.name !== 'a') return named || element.name !== 'button' || hasBox(cascade, element)
  return named || hasBox(cascade, element)
}

/** Drawn as a button: a ground or a border of its own with room around a short text. */
function hasBox(cascade: Cascade, element: PageElement): boolean {
  const { background, border, padding } = cascade.look(element)
  const text = cascade.$(element).text().trim()
  if (text === '' || text.length > 40 || cascade.$(element).find('img, picture, svg').length > 0) return false
  const ground = groundBehind(cascade, element)
  return padding.top >= 4 && padding.left >= 8 && (differs(over(background, ground), ground) || (border.isAllAround && border.width > 0))
}

const groundBehind = (cascade: Cascade, element: PageElement): Rgba => {
  const parent = parentOf(element)
  return parent ? cascade.groundOf(parent) : [255, 255, 255, 1]
}

/** Far enough from each other to be told apart. */
export const differs = (a: Rgba, b: Rgba): boolean => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) > 4
