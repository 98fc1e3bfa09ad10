import { load } from 'cheerio'
import { Tokenizer } from 'parse5'
import type { MarkupElement } from '../../domain/drafts/safe-html.ts'

type Node = {
  type: string
  name?: string
  data?: string
  attribs?: Record<string, string>
  children?: Node[]
}

/**
 * Every element that some browser could make of a piece of markup, wherever it is put. What a browser takes for text, a
 * comment or an attribute depends on the place: in a table, an SVG, or after what opens neither, it is read in another
 * way. But an element always begins with "<" and a letter, so whatever begins so counts, wherever it stands.
 */
export function elementsOf(markup: string): MarkupElement[] {
  // Parsers of whole documents also drop and correct; what they come to counts too.
  const found = [
    load(markup, null, false),
    load(
      markup,
      { xml: { xmlMode: false, decodeEntities: true, recognizeSelfClosing: false } },
      false,
    ),
  ].flatMap(elementsIn)
  let read = 0
  for (const { index } of markup.matchAll(/<[a-z]/gi)) {
    const { element, length } = tagAt(markup.slice(index))
    if (element) found.push(element)
    read += length
    // Only tags within tags within tags take so long: what is left unread there is taken for the worst.
    if (read > readLimit) return [...found, { tag: 'script', attributes: {} }]
  }
  return found
}

function elementsIn($: ReturnType<typeof load>): MarkupElement[] {
  const found: MarkupElement[] = []
  // A stack of one's own: markup may be nested deeper than calls may.
  const open = [$.root()[0] as unknown as Node]
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.name !== undefined && node.attribs)
      found.push({ tag: node.name, attributes: node.attribs })
    open.push(...(node.children ?? []))
  }
  return found
}

/** Characters. Half a second. */
const readLimit = 2_000_000

/** The tag at the beginning, and how much was read of the markup; null for one without an end, of which no browser makes an element. */
function tagAt(markup: string): { element: MarkupElement | null; length: number } {
  let found: MarkupElement | null = null
  const nothing = () => {}
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag: ({ tagName, attrs }) => {
        found = {
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
  tokenizer.write(markup, true)
  return { element: found, length: tokenizer.preprocessor.pos }
}
