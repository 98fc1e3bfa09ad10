import { Tokenizer } from 'parse5'
import type { MarkupElement } from '../../domain/drafts/safe-html.ts'

/** Characters of all markup of a draft that are read, tags within tags again for each. A tenth of a second; a whole draft has less. */
const readLimit = 600_000
/** Attributes of one tag. The tokenizer compares each with all before it. */
const maxAttributes = 200

/** Reads markup; null once there was more to read than markup that people write has. */
export type MarkupReader = (markup: string) => MarkupElement[] | null

/**
 * Finds every element that some browser could make of a piece of markup, wherever it is put. What a browser takes for
 * text, a comment or an attribute depends on the place: in a table, an SVG, or after what opens neither, it is read in
 * another way. But an element always begins with "<" and a letter, so whatever begins so counts, wherever it stands. No
 * tree is built: trees of some markup grow with the square of its length.
 *
 * One reader is for all markup of a draft: each piece takes from what may be read of them together.
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

/** Stops within a tag of more attributes than are read. */
class TooManyAttributes extends Error {}
class TagTokenizer extends Tokenizer {
  #attributes = 0
  protected override _createAttr(first: string): void {
    if (++this.#attributes > maxAttributes) throw new TooManyAttributes()
    super._createAttr(first)
  }
}

/** The tag at the beginning, and how much was read of the markup. `element`: null where the tag has no end, of which no browser makes one. Null when it has too many attributes. */
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
