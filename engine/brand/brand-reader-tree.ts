import { over, type Rgba, white } from './brand-reader-colours.ts'
import { is, type RawLook, type RawPage } from './brand-reader-snapshot.ts'

/** The look of an element, as far as the reader needs it. Lengths are in CSS pixels. */
export type Look = Omit<RawLook, 'lineHeight' | 'borders' | 'radius' | 'fontStyle'> & {
  fontStyle: 'normal' | 'italic' | 'oblique'
  lineHeight: number
  border: { width: number; colour: Rgba; isAllAround: boolean; isBelow: boolean }
  radius: (shorterSide: number) => number
}
export type PageElement = {
  index: number
  /** Index after the last descendant. */
  end: number
  name: string
  bits: number
  parent: PageElement | null
  children: PageElement[]
  look: Look
  /** True if neither the element nor an ancestor is hidden. */
  isShown: boolean
  /** The opaque colour that is seen behind its text. */
  ground: Rgba
  /**
   * `words`: length of the element's own text. `allWords`: the same with the text of its
   * descendants.
   */
  words: number
  allWords: number
  hasPicture: boolean
  /** Handle of the product that it links to; empty when it links to none. */
  product: string
  /**
   * The only product that the element and its descendants link to; null for none or several.
   * `products` counts them; 2 means two or more.
   */
  only: string | null
  products: 0 | 1 | 2
}
export type Question = keyof typeof is

/**
 * The elements of one page as a browser showed them, in document order. The constructor computes
 * once what all queries need.
 */
export class PageTree {
  readonly elements: PageElement[] = []
  readonly body: PageElement

  constructor(raw: RawPage) {
    const looks = raw.looks.map(lookFrom)
    for (const [index, [parentIndex, name, bits, words, product, at]] of raw.elements.entries()) {
      const parent = this.elements[parentIndex] ?? null,
        look = looks[at]!
      const element: PageElement = {
        index,
        end: index + 1,
        name,
        bits,
        parent,
        children: [],
        look,
        words,
        allWords: words,
        product,
        hasPicture: false,
        isShown: !look.isHidden && (parent?.isShown ?? true),
        ground: over(look.background, parent?.ground ?? white),
        only: product || null,
        products: product ? 1 : 0,
      }
      parent?.children.push(element)
      this.elements.push(element)
    }
    for (const element of this.elements.toReversed()) {
      const { parent } = element
      if (!parent) continue
      parent.end = Math.max(parent.end, element.end)
      parent.allWords += element.allWords
      parent.hasPicture ||= element.hasPicture || isA(element, 'picture')
      if (element.products === 0) continue
      const isSame =
        parent.products === 0 ||
        (parent.products === 1 && element.products === 1 && parent.only === element.only)
      parent.products = isSame ? element.products : 2
      parent.only = parent.products === 1 ? element.only : null
    }
    this.body = this.elements.find(({ name }) => name === 'body') ?? this.elements[0]!
  }

  /** Elements that match this question, in document order. */
  find(question: Question, within?: PageElement): PageElement[] {
    return (within ? this.inside(within) : this.elements).filter(element => isA(element, question))
  }

  named(names: readonly string[], within?: PageElement): PageElement[] {
    return (within ? this.inside(within) : this.elements).filter(({ name }) => names.includes(name))
  }

  inside({ index, end }: PageElement): PageElement[] {
    return this.elements.slice(index + 1, end)
  }

  /**
   * The element that holds an element's text: the element itself, or its first visible descendant
   * with its own text.
   */
  wordsOf(element: PageElement): PageElement {
    return (
      [element, ...this.inside(element)].find(each => each.words > 0 && each.isShown) ?? element
    )
  }
}

export const isA = ({ bits }: PageElement, question: Question): boolean =>
  (bits & is[question]) !== 0
export const groundBehind = ({ parent }: PageElement): Rgba => parent?.ground ?? white

function lookFrom({ lineHeight, borders, radius, fontStyle, ...look }: RawLook): Look {
  const drawn = borders.filter(({ width }) => width > 0)
  return {
    ...look,
    fontStyle: fontStyle === 'italic' || fontStyle === 'oblique' ? fontStyle : 'normal',
    // CSS `normal` is about 1.2 in most text fonts.
    lineHeight: lineHeight ?? look.fontSize * 1.2,
    border: {
      width: Math.max(0, ...borders.map(({ width }) => width)),
      colour: (drawn[0] ?? borders[0]!).colour,
      isAllAround: drawn.length === borders.length,
      isBelow: drawn.length === 1 && borders[2]!.width > 0,
    },
    radius: shorterSide => (radius.isShare ? (radius.value / 100) * shorterSide : radius.value),
  }
}
