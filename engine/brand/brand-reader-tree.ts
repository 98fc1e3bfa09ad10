import { over, type Rgba, white } from './brand-reader-colours.ts'
import { is, type RawLook, type RawPage } from './brand-reader-snapshot.ts'

/** What the reader needs to know of how an element looks, in CSS pixels. */
export type Look = Omit<RawLook, 'lineHeight' | 'borders' | 'radius' | 'fontStyle'> & {
  fontStyle: 'normal' | 'italic' | 'oblique'
  lineHeight: number
  border: { width: number; colour: Rgba; isAllAround: boolean; isBelow: boolean }
  radius: (shorterSide: number) => number
}
export type PageElement = {
  index: number
  /** Index behind the last element inside of it. */
  end: number
  name: string
  bits: number
  parent: PageElement | null
  children: PageElement[]
  look: Look
  /** Not hidden, and in nothing that is. */
  isShown: boolean
  /** The opaque colour that is seen behind its text. */
  ground: Rgba
  /** Length of the words of its own, and of all that stands in it. */
  words: number
  allWords: number
  hasPicture: boolean
  /** Handle of the product that it links to; empty when it links to none. */
  product: string
  /** The product that is linked from it and all in it; null for none or several. `products`: how many, two standing for all above. */
  only: string | null
  products: 0 | 1 | 2
}
export type Question = keyof typeof is

/** The elements of one page as a browser showed them, from the top down; all questions are answered from one walk. */
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

  /** Elements that are an answer to this, in the order of the page. */
  find(question: Question, within?: PageElement): PageElement[] {
    return (within ? this.inside(within) : this.elements).filter(element => isA(element, question))
  }

  named(names: readonly string[], within?: PageElement): PageElement[] {
    return (within ? this.inside(within) : this.elements).filter(({ name }) => names.includes(name))
  }

  inside({ index, end }: PageElement): PageElement[] {
    return this.elements.slice(index + 1, end)
  }

  /** The element that an element's words stand in: itself, or the first inside of it that has words of its own. */
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
    // `normal` is about what text faces ask for.
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
