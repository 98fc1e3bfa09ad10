import { Tokenizer } from 'parse5'
import type { MarkupElement } from '../../domain/drafts/safe-html.ts'

/**
 * How many characters of a draft's markup we read in all. A tag inside another tag is read again.
 * Reading this many takes a tenth of a second; a whole draft has fewer.
 */
const readLimit = 600_000
/** Maximum attributes of one tag. The tokenizer compares each with all before it. */
const maxAttributes = 200

/**
 * Returns the elements in a piece of markup. Null when there is more to read than in markup that
 * people write.
 */
export type MarkupReader = (markup: string) => MarkupElement[] | null

/**
 * Makes a reader that finds every element which a browser could make of a piece of markup, wherever
 * the piece is inserted. Whether a browser reads something as text, comment or attribute depends on
 * the place, for example in a table or an SVG. But an element always begins with "<" and a letter,
 * so we read a tag at each such place. We build no tree, because the trees of some markup grow with
 * the square of its length.
 * Use one reader for all markup of a draft: the limit is for all pieces together.
 */
export function markupReader(limit = readLimit): MarkupReader {
  let left = limit
  return markup => {
    const found: MarkupElement[] = []
    for (const { index } of markup.matchAll(/<[a-z]/gi)) {
      if (left <= 0) return null
      const tag = tagAt(markup.slice(index))
      if (!tag) return null
      left -= tag.length
      if (tag.element) found.push(tag.element)
    }
    return found
  }
}

/** Thrown inside a tag that has more than `maxAttributes`. */
class TooManyAttributes extends Error {}
class TagTokenizer extends Tokenizer {
  #attributes = 0
  protected override _createAttr(first: string): void {
    if (++this.#attributes > maxAttributes) throw new TooManyAttributes()
    super._createAttr(first)
  }
}

/**
 * Reads the tag at the beginning of the markup. `length`: how many characters were read. `element`:
 * null when the tag has no end, because no browser makes an element of it. Returns null when the
 * tag has too many attributes.
 */
function tagAt(markup: string): { element: MarkupElement | null; length: number } | null {
  let element: MarkupElement | null = null
  const nothing = () => {}
  const tokenizer = new TagTokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag: ({ tagName, attrs }) => {
        element = {
          tag: tagName,
          attributes: Object.fromEntries(attrs.map(({ name, value }) => [name, value])),
        }
        tokenizer.pause()
      },
      onComment: nothing,
      onDoctype: nothing,
      onEndTag: nothing,
      onEof: nothing,
      onCharacter: nothing,
      onNullCharacter: nothing,
      onWhitespaceCharacter: nothing,
    },
  )
  try {
    tokenizer.write(markup, true)
  } catch (error) {
    if (error instanceof TooManyAttributes) return null
    throw error
  }
  return { element, length: tokenizer.preprocessor.pos }
}
