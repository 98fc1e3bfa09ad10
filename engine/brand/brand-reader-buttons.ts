import type { Pattern } from '../../domain/brand/brand-style.ts'
import { buttonStyleOf, shapeOf, type Shape } from '../../domain/brand/brand-style-look.ts'
import { sizeOfHeight } from '../../domain/drafts/button-size.ts'
import { differs, over, toHex } from './brand-reader-colours.ts'
import { groundBehind, isA, type PageElement, type PageTree } from './brand-reader-tree.ts'

export type ButtonLooks = Pick<Pattern, 'buttonStyle' | 'buttonSize'> &
  Pick<Pattern['colours'], 'buttonBackground' | 'buttonText' | 'buttonBorder'> & { shape: Shape }

/**
 * The first visible button in a part of the page: an element that the theme calls a button, or that
 * looks like one.
 */
export const firstButton = (page: PageTree, within?: PageElement): PageElement | null =>
  page.find('button', within).find(element => element.isShown && isButton(element)) ?? null

/**
 * The shop's most important button: the one that adds to the cart, otherwise the first one in the
 * main part of the page, otherwise the first one on the page.
 */
export function mainButton(page: PageTree): PageElement | null {
  const adding = page.find('addsToCart').find(({ isShown }) => isShown)
  const [main] = page.find('main')
  return adding ?? firstButton(page, main) ?? (main ? firstButton(page) : null)
}

export function buttonLooks(element: PageElement): ButtonLooks {
  const {
    background,
    border,
    colour,
    radius,
    padding: [top, , bottom],
    lineHeight,
    minHeight,
    isUnderlined,
  } = element.look
  const ground = groundBehind(element)
  const seen = over(background, ground)
  const hasGround = differs(seen, ground)
  const height = Math.max(
    lineHeight + top + bottom + (border.isAllAround ? 2 * border.width : 0),
    minHeight,
  )
  return {
    buttonStyle: buttonStyleOf({
      hasGround,
      hasBorder: border.isAllAround && border.width > 0,
      hasUnderline: isUnderlined || border.isBelow,
    }),
    buttonSize: sizeOfHeight(height),
    buttonBackground: hasGround ? toHex(seen) : null,
    buttonText: toHex(over(colour, seen)),
    buttonBorder: border.width > 0 ? toHex(over(border.colour, ground)) : null,
    shape: shapeOf(radius(height), height),
  }
}

function isButton(element: PageElement): boolean {
  const isCalled = isA(element, 'calledButton')
  if (element.name !== 'a') return isCalled || element.name !== 'button' || hasBox(element)
  return isCalled || hasBox(element)
}

/**
 * True if the element looks like a button: a short text with padding, and its own background or a
 * border.
 */
function hasBox(element: PageElement): boolean {
  const {
    background,
    border,
    padding: [top, , , left],
  } = element.look
  if (element.allWords === 0 || element.allWords > 40 || element.hasPicture) return false
  const ground = groundBehind(element)
  return (
    top >= 4 &&
    left >= 8 &&
    (differs(over(background, ground), ground) || (border.isAllAround && border.width > 0))
  )
}
