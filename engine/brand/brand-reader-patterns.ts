import { type Pattern, patternLimit } from '../../domain/brand/brand-style.ts'
import {
  patternKinds,
  type PatternKind,
  shapeOf,
  type Shape,
} from '../../domain/brand/brand-style-look.ts'
import { type ButtonLooks, buttonLooks, firstButton } from './brand-reader-buttons.ts'
import { differs, over, toHex } from './brand-reader-colours.ts'
import { groundBehind, type PageElement, type PageTree } from './brand-reader-tree.ts'

/**
 * Limits: looks of one kind, sections of one page, product links of one section. Beyond them a page
 * only repeats itself.
 */
const perKind = 3,
  perPage = 40,
  linksLooked = 60
/** A section with at least this many product cards is a product list. */
const fewestCards = 3

/**
 * The different looks of the pages' sections, each once, the most frequent of a kind first. A
 * section without a button gets the look of `button`.
 */
export function patternsOf(pages: PageTree[], button: ButtonLooks): Pattern[] {
  const counted = new Map<string, { pattern: Pattern; count: number }>()
  for (const page of pages) {
    for (const section of sectionsOf(page).slice(0, perPage)) {
      const pattern = patternOf(page, section, button)
      if (!pattern) continue
      const key = JSON.stringify(pattern)
      const known = counted.get(key)
      if (known) known.count++
      else counted.set(key, { pattern, count: 1 })
    }
  }
  // Unknown looks come last. The sort is stable, so equally frequent looks stay in the order of the
  // pages.
  const kinds: PatternKind[] = [...patternKinds.slice(1), patternKinds[0]]
  const all = [...counted.values()].sort((a, b) => b.count - a.count).map(({ pattern }) => pattern)
  return kinds
    .flatMap(kind => all.filter(pattern => pattern.kind === kind).slice(0, perKind))
    .slice(0, patternLimit)
}

/** The sections of the page's main content, from top to bottom, without their wrapper elements. */
function sectionsOf(page: PageTree): PageElement[] {
  const [top = page.body] = page.find('main')
  const shown = ({ children }: PageElement) =>
    children.filter(
      child =>
        !['script', 'style', 'link', 'template', 'noscript'].includes(child.name) && child.isShown,
    )
  let parts = shown(top)
  while (parts.length === 1 && shown(parts[0]!).length > 0 && !isSection(parts[0]!))
    parts = shown(parts[0]!)
  return parts.map(part => {
    let own = part
    for (let inside = shown(own); inside.length === 1 && !hasGround(own); inside = shown(own))
      own = inside[0]!
    return own
  })
}

const isSection = (element: PageElement): boolean =>
  element.name === 'section' || element.name === 'article'
const hasGround = (element: PageElement): boolean =>
  element.parent !== null && differs(element.ground, element.parent.ground)

function patternOf(page: PageTree, section: PageElement, button: ButtonLooks): Pattern | null {
  const cards = cardsOf(page, section)
  if (cards.length >= fewestCards) return cardPattern(page, cards[0]!, button)
  const [heading] = page.named(['h1', 'h2', 'h3'], section).filter(isShown)
  const [text] = page
    .named(['p'], section)
    .filter(element => element.isShown && element.allWords > 0)
  const own = firstButton(page, section)
  const words = heading ?? own
  if (!words) return null
  const isRaised = differs((words === own ? section : words).ground, page.body.ground)
  const kind: PatternKind = isRaised ? 'Highlight' : heading && text ? 'Content' : 'Unknown'
  const looks = own ? buttonLooks(own) : button
  return pattern(page, {
    kind,
    on: words === own ? section : words,
    heading: words,
    text: text ?? words,
    box: boxOf(words, section),
    looks,
  })
}

function cardPattern(page: PageTree, card: PageElement, button: ButtonLooks): Pattern {
  const texts = page.inside(card).filter(element => element.isShown && element.words > 0)
  const own = firstButton(page, card)
  return pattern(page, {
    kind: 'Product',
    on: card,
    heading: texts[0] ?? card,
    text: texts.at(-1) ?? card,
    box: card,
    looks: own && own !== card ? buttonLooks(own) : button,
  })
}

type Parts = {
  kind: PatternKind
  on: PageElement
  heading: PageElement
  text: PageElement
  box: PageElement
  looks: ButtonLooks
}
function pattern(page: PageTree, { kind, on, heading, text, box, looks }: Parts): Pattern {
  const { border } = box.look
  const ink = (element: PageElement): string => toHex(over(element.look.colour, element.ground))
  return {
    kind,
    colours: {
      background: toHex(on.ground),
      heading: ink(heading),
      text: ink(text),
      border:
        border.isAllAround && border.width > 0
          ? toHex(over(border.colour, groundBehind(box)))
          : null,
      buttonBackground: looks.buttonBackground,
      buttonText: looks.buttonText,
      buttonBorder: looks.buttonBorder,
    },
    shape: cornersOf(page, box) ?? looks.shape,
    buttonStyle: looks.buttonStyle,
    buttonSize: looks.buttonSize,
  }
}

/**
 * The corner shape of the box if it has its own background or a border, otherwise of the first
 * picture in it. Returns null when it has neither.
 */
function cornersOf(page: PageTree, box: PageElement): Shape | null {
  // Pictures are not loaded, so their size is unknown. A card or picture is about this wide, in CSS
  // pixels.
  const side = 240
  const { border, radius } = box.look
  if (hasGround(box) || border.isAllAround) return shapeOf(radius(side), side)
  const [picture] = page.named(['img'], box).filter(isShown)
  return picture ? shapeOf(picture.look.radius(side), side) : null
}

/**
 * The nearest ancestor of `words` inside the section that has its own background, otherwise the
 * section.
 */
function boxOf(words: PageElement, section: PageElement): PageElement {
  for (let at: PageElement | null = words; at && at !== section; at = at.parent)
    if (at !== words && hasGround(at)) return at
  return section
}

/** One box for each product that has a link with a picture. The box contains no other product. */
function cardsOf(page: PageTree, section: PageElement): PageElement[] {
  const cards = new Map<string, PageElement>()
  for (const link of page
    .inside(section)
    .filter(({ product }) => product !== '')
    .slice(0, linksLooked)) {
    if (
      !link.isShown ||
      cards.has(link.product) ||
      !page.inside(link).some(({ name }) => name === 'img')
    )
      continue
    let outermost = link
    for (let up = link.parent; up && up !== section && up.products === 1; up = up.parent)
      outermost = up
    cards.set(link.product, drawnBox(link, outermost))
  }
  return [...cards.values()]
}

/**
 * The nearest element, from the link up to `outermost`, that has its own background or a border;
 * otherwise the link itself.
 */
function drawnBox(link: PageElement, outermost: PageElement): PageElement {
  for (let at: PageElement | null = link; at; at = at === outermost ? null : at.parent) {
    if (hasGround(at) || at.look.border.isAllAround) return at
  }
  return link
}

const isShown = (element: PageElement): boolean => element.isShown
