import { type Pattern, patternLimit } from '../domain/brand-style.ts'
import { patternKinds, type PatternKind, shapeOf, type Shape } from '../domain/brand-style-look.ts'
import { type ButtonLooks, buttonLooks, differs, firstButton } from './brand-reader-buttons.ts'
import { type Cascade, find, type PageElement, parentOf } from './brand-reader-cascade.ts'
import { over, type Rgba, toHex } from './brand-reader-colours.ts'

/** Of each kind at most so many different looks; and how much of a page is looked at: beyond that it only repeats itself. */
const perKind = 3, perPage = 40, linksLooked = 60
/** So many products beside each other are a list. */
const fewestCards = 3

/** How the sections of the pages look, each look once: the most frequent of a kind first. `button` stands in where a section has none. */
export function patternsOf(cascades: Cascade[], button: ButtonLooks): Pattern[] {
  const counted = new Map<string, { pattern: Pattern; count: number }>()
  for (const cascade of cascades) {
    for (const section of sectionsOf(cascade).slice(0, perPage)) {
      const pattern = patternOf(cascade, section, button)
      if (!pattern) continue
      const key = JSON.stringify(pattern)
      const known = counted.get(key)
      if (known) known.count++
      else counted.set(key, { pattern, count: 1 })
    }
  }
  // Unknown looks are told last; a stable sort keeps the order of the pages among equals.
  const kinds: PatternKind[] = [...patternKinds.slice(1), patternKinds[0]]
  const all = [...counted.values()].sort((a, b) => b.count - a.count).map(({ pattern }) => pattern)
  return kinds.flatMap(kind => all.filter(pattern => pattern.kind === kind).slice(0, perKind)).slice(0, patternLimit)
}

/** Parts of the page's own content: what stands below each other in it, wrappers taken off. */
function sectionsOf(cascade: Cascade): PageElement[] {
  const [top] = [...find(cascade.$, 'main, [role="main"], #main'), ...find(cascade.$, 'body')]
  const shown = (element: PageElement) => children(element).filter(child => !['script', 'style', 'link', 'template', 'noscript'].includes(child.name) && cascade.isShown(child))
  let parts = top ? shown(top) : []
  while (parts.length === 1 && shown(parts[0]!).length > 0 && !isSection(parts[0]!)) parts = shown(parts[0]!)
  return parts.map(part => {
    let own = part
    for (let inside = shown(own); inside.length === 1 && !hasGround(cascade, own); inside = shown(own)) own = inside[0]!
    return own
  })
}

const isSection = (element: PageElement): boolean => element.name === 'section' || element.name === 'article'
const children = (element: PageElement): PageElement[] => element.children.filter((child): child is PageElement => 'attribs' in child)
const hasGround = (cascade: Cascade, element: PageElement): boolean => {
  const parent = parentOf(element)
  return parent !== null && differs(cascade.groundOf(element), cascade.groundOf(parent))
}

function patternOf(cascade: Cascade, section: PageElement, button: ButtonLooks): Pattern | null {
  const cards = cardsOf(cascade, section)
  if (cards.length >= fewestCards) return cardPattern(cascade, cards[0]!, button)
  const [heading] = shownIn(cascade, section, 'h1, h2, h3')
  const [text] = shownIn(cascade, section, 'p').filter(element => cascade.$(element).text().trim() !== '')
  const own = firstButton(cascade, section)
  if (!heading && !own) return null
  const words = heading ?? own!
  const [body] = find(cascade.$, 'body')
  const isRaised = differs(cascade.groundOf(words === own ? section : words), body ? cascade.groundOf(body) : [255, 255, 255, 1])
  const kind: PatternKind = isRaised ? 'Highlight' : heading && text ? 'Content' : 'Unknown'
  const box = boxOf(cascade, words, section)
  const looks = own ? buttonLooks(cascade, own) : button
  return pattern(cascade, { kind, on: words === own ? section : words, heading: words, text: text ?? words, box, looks })
}

function cardPattern(cascade: Cascade, card: PageElement, button: ButtonLooks): Pattern {
  const texts = shownIn(cascade, card, '*').filter(element => cascade.ownText(element) !== '')
  const own = firstButton(cascade, card)
  return pattern(cascade, { kind: 'Product', on: card, heading: texts[0] ?? card, text: texts.at(-1) ?? card, box: card, looks: own && own !== card ? buttonLooks(cascade, own) : button })
}

type Parts = { kind: PatternKind; on: PageElement; heading: PageElement; text: PageElement; box: PageElement; looks: ButtonLooks }
function pattern(cascade: Cascade, { kind, on, heading, text, box, looks }: Parts): Pattern {
  const { border } = cascade.look(box)
  const ground = cascade.groundOf(on)
  const ink = (element: PageElement): string => toHex(over(cascade.look(element).colour, cascade.groundOf(element)))
  const outside: Rgba = cascade.groundOf(parentOf(box) ?? box)
  return {
    kind,
    colours: {
      background: toHex(ground), heading: ink(heading), text: ink(text), border: border.isAllAround && border.width > 0 ? toHex(over(border.colour, outside)) : null,
      buttonBackground: looks.buttonBackground, buttonText: looks.buttonText, buttonBorder: looks.buttonBorder,
    },
    shape: cornersOf(cascade, box) ?? looks.shape,
    buttonStyle: looks.buttonStyle, buttonSize: looks.buttonSize,
  }
}

/** Of a box that is seen as one (ground or border of its own) or else of the first picture in it; null when it has neither. */
function cornersOf(cascade: Cascade, box: PageElement): Shape | null {
  // Without layout nobody knows how large these are; a card or picture is about this wide.
  const side = 240
  const { border, radius } = cascade.look(box)
  if (hasGround(cascade, box) || border.isAllAround) return shapeOf(radius(side), side)
  const [picture] = shownIn(cascade, box, 'img')
  return picture ? shapeOf(cascade.look(picture).radius(side), side) : null
}

/** The nearest ancestor of the words, up to the section, that has a ground of its own. */
function boxOf(cascade: Cascade, words: PageElement, section: PageElement): PageElement {
  for (let at: PageElement | null = words; at && at !== section; at = parentOf(at)) if (at !== words && hasGround(cascade, at)) return at
  return section
}

/** Of each product that is linked with its picture, the box that is its alone. */
function cardsOf(cascade: Cascade, section: PageElement): PageElement[] {
  const cards = new Map<string, PageElement>()
  for (const link of find(cascade.$, productLinks, section).slice(0, linksLooked).filter(each => cascade.isShown(each))) {
    const handle = handleOf(link)
    if (!handle || cards.has(handle) || cascade.$(link).find('img').length === 0) continue
    let outermost = link
    for (let up = parentOf(link); up && up !== section && productsIn(cascade, up) === 1; up = parentOf(up)) outermost = up
    cards.set(handle, drawnBox(cascade, link, outermost))
  }
  return [...cards.values()]
}

const productLinks = 'a[href*="/products/"]'
const handleOf = (link: PageElement): string | undefined => /^(?:https?:\/\/[^/]+)?(?:\/[a-z]{2}(?:-[a-z]+)?)?(?:\/collections\/[^/]+)?\/products\/([^/.?#]+)/i.exec(link.attribs['href'] ?? '')?.[1]
const productsIn = (cascade: Cascade, element: PageElement): number => new Set(find(cascade.$, productLinks, element).map(handleOf).filter(Boolean)).size

/** The innermost box around a link that is drawn as one, else the link itself. */
function drawnBox(cascade: Cascade, link: PageElement, outermost: PageElement): PageElement {
  for (let at: PageElement | null = link; at; at = at === outermost ? null : parentOf(at)) {
    if (hasGround(cascade, at) || cascade.look(at).border.isAllAround) return at
  }
  return link
}

const shownIn = (cascade: Cascade, within: PageElement, selector: string): PageElement[] => find(cascade.$, selector, within).filter(element => cascade.isShown(element))
